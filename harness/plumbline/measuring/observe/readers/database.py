"""Read the work of PostgreSQL for the application within a phase, and the server's settings meanwhile.

When a number becomes visible: rows of tables and `pg_stat_statements` (where `COMMIT` is a statement of its
own) at once. `pg_stat_database` only when the backends report: a busy one every second, one that falls idle
within a second of its last report ten seconds later. So commits and rollbacks are read after waiting until
the application's sessions have been idle for that long, or until the bound that the caller can afford; what
is then still missing is at most the last second of load.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from typing import Any

import psycopg
from psycopg import sql
from psycopg.conninfo import make_conninfo

from plumbline.measuring.services.interface import OWN_NAME, DatabaseTarget
from plumbline.model.evidence import DatabaseWork, Statement, TlsUse

# PGSTAT_IDLE_INTERVAL of PostgreSQL, and a little for the report itself.
REPORTED_AFTER_IDLE_S = 10.2

_POLL_S = 0.1
_OWN_EXIT_S = 1.0

# The settings that decide whether a commit is on disk when it is answered, and what a transaction sees. They are read
# around each phase, whoever set them.
DECIDING = (
    "fsync",
    "full_page_writes",
    "synchronous_commit",
    "wal_sync_method",
    "default_transaction_isolation",
)

# Sessions and statements of the application are those of its role, whatever name or comment they give themselves: no
# session of ours has that role.
_ACTIVITY = """
SELECT count(*), coalesce(extract(epoch FROM min(clock_timestamp() - state_change)
           FILTER (WHERE state = 'idle')), 0), count(*) FILTER (WHERE state <> 'idle')
FROM pg_catalog.pg_stat_activity
WHERE datname = %s AND usename = %s AND backend_type = 'client backend'"""

_OWN_SESSIONS = f"""
SELECT count(*) FROM pg_catalog.pg_stat_activity
WHERE datname = %s AND application_name = '{OWN_NAME}-probe'"""

_TRANSACTIONS = "SELECT xact_commit, xact_rollback FROM pg_catalog.pg_stat_database WHERE datname = %s"

# In the probe's own database, the extension lies in a schema that only the administrator writes.
_STATEMENTS = """
SELECT s.query, sum(s.calls)::bigint, sum(s.rows)::bigint
FROM public.pg_stat_statements s
     JOIN pg_catalog.pg_database d ON d.oid = s.dbid JOIN pg_catalog.pg_roles r ON r.oid = s.userid
WHERE d.datname = %s AND r.rolname = %s
GROUP BY s.query"""

# A table whose persistence is changed, and changed back, lies in another file than before.
_TABLES = """
SELECT schemaname, relname, pg_catalog.pg_relation_filenode(relid)
FROM pg_catalog.pg_stat_user_tables ORDER BY relname"""

# The deciding settings, and all that somebody set. Settings of the server's place and address are left out, since they
# differ from server to server and change no answer, and so are those that may hold a secret.
_SETTINGS = """
SELECT name, pg_catalog.current_setting(name) FROM pg_catalog.pg_settings
WHERE name = ANY(%s)
   OR source IN ('configuration file', 'command line', 'environment variable', 'database')
      AND name !~ '(^|_)(port|files?|director(y|ies)|addresses|command|conninfo|key|name)$'"""

# Other definitions and settings of the application's tables and sessions.
_DEFINED = """
SELECT 'index ' || indexname, indexdef FROM pg_catalog.pg_indexes WHERE schemaname = 'public'
UNION ALL SELECT 'trigger ' || tgname, pg_catalog.pg_get_triggerdef(oid) FROM pg_catalog.pg_trigger
          WHERE NOT tgisinternal
UNION ALL SELECT 'storage of ' || relname, pg_catalog.array_to_string(reloptions, ', ') FROM pg_catalog.pg_class
          WHERE reloptions IS NOT NULL AND relnamespace = 'public'::regnamespace
UNION ALL SELECT 'sessions of ' || coalesce(r.rolname, 'all'), pg_catalog.array_to_string(s.setconfig, ', ')
          FROM pg_catalog.pg_db_role_setting s LEFT JOIN pg_catalog.pg_roles r ON r.oid = s.setrole
          WHERE s.setrole = 0 OR r.rolname = %s"""

# The rows of these tables are in no log, and gone after a crash.
_UNLOGGED = """
SELECT relname FROM pg_catalog.pg_class WHERE relpersistence <> 'p' AND relkind IN ('r', 'p', 'm')
  AND NOT pg_catalog.pg_is_other_temp_schema(relnamespace) ORDER BY relname"""

_TLS = """
SELECT t.version, t.cipher, count(*)
FROM pg_catalog.pg_stat_activity a JOIN pg_catalog.pg_stat_ssl t USING (pid)
WHERE a.datname = %s AND a.usename = %s AND a.backend_type = 'client backend'
GROUP BY 1, 2 ORDER BY 1, 2"""

Session = psycopg.Connection[tuple[Any, ...]]
OpenSession = Callable[[str, str | None], AbstractContextManager[Session]]


def open_session(conninfo: str, database: str | None) -> AbstractContextManager[Session]:
    """Return a short session of our own, in `database` or else the one that `conninfo` names. Raises psycopg.Error."""
    full_conninfo = conninfo if database is None else make_conninfo(conninfo, dbname=database)
    return psycopg.connect(full_conninfo, autocommit=True, application_name=f"{OWN_NAME}-probe", connect_timeout=5)


@dataclass(frozen=True)
class Snapshot:
    """Counters at one moment.

    `statements` is text -> (calls, rows), `settings` has the server's settings and definitions by name, and `files` is
    table -> the number of the file that its rows lie in.
    """

    commits: int
    rollbacks: int
    statements: dict[str, tuple[int, int]]
    table_rows: dict[str, int]
    settings: dict[str, str] = field(default_factory=dict)
    unlogged: tuple[str, ...] = ()
    files: dict[str, int | None] = field(default_factory=dict)


class DatabaseProbe:
    """Reads the application's database between phases. Every method returns None or nothing when that is impossible."""

    def __init__(
        self,
        target: DatabaseTarget,
        *,
        settle_s: float = REPORTED_AFTER_IDLE_S,
        open_session: OpenSession = open_session,
        now: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """`settle_s` bounds the wait for the backends' reports."""
        self._target = target
        self._settle_s = settle_s
        self._open, self._now, self._sleep = open_session, now, sleep

    def before(self) -> Snapshot | None:
        """Return counters before a phase, commits last: by then our session in the application's database has ended."""
        try:
            snapshot = self._read_inside()
            commits, rollbacks = self._transactions()
        except psycopg.Error:
            return None
        return replace(snapshot, commits=commits, rollbacks=rollbacks)

    def after(self) -> Snapshot | None:
        """Return counters after a phase, commits first: our session in the application's database begins after that."""
        try:
            commits, rollbacks = self._transactions()
            snapshot = self._read_inside()
        except psycopg.Error:
            return None
        return replace(snapshot, commits=commits, rollbacks=rollbacks)

    def tls(self) -> tuple[TlsUse, ...]:
        """Return the application's sessions by TLS version and cipher."""
        try:
            with self._open(self._target.conninfo, None) as session:
                rows = session.execute(_TLS, self._application).fetchall()
        except psycopg.Error:
            return ()
        return tuple(TlsUse(version=version, cipher=cipher, connections=count) for version, cipher, count in rows)

    @property
    def _application(self) -> list[object]:
        return [self._target.application_database, self._target.application_user]

    def _transactions(self) -> tuple[int, int]:
        with self._open(self._target.conninfo, None) as session:
            self._settle(session)
            ((commits, rollbacks),) = session.execute(_TRANSACTIONS, self._application[:1]).fetchall()
            return int(commits), int(rollbacks)

    def _settle(self, session: Session) -> None:
        begun_s = self._now()
        while True:
            waited_s = self._now() - begun_s
            ((own_sessions,),) = session.execute(_OWN_SESSIONS, self._application[:1]).fetchall()
            ((sessions, idle_s, busy_sessions),) = session.execute(_ACTIVITY, self._application).fetchall()
            reported = sessions == 0 or (busy_sessions == 0 and float(idle_s) >= REPORTED_AFTER_IDLE_S)
            if (own_sessions == 0 or waited_s >= _OWN_EXIT_S) and (reported or waited_s >= self._settle_s):
                return
            self._sleep(_POLL_S)

    def _read_inside(self) -> Snapshot:
        """Return the counters except commits; in the application's database it only reads tables, makes nothing."""
        with self._open(self._target.conninfo, self._target.application_database) as session:
            tables: dict[str, int] = {}
            files: dict[str, int | None] = {}
            for schema, table, files[table] in session.execute(_TABLES).fetchall():
                count = sql.SQL("SELECT count(*) FROM {}").format(sql.Identifier(schema, table))
                ((tables[table],),) = session.execute(count).fetchall()
            unlogged = tuple(name for (name,) in session.execute(_UNLOGGED).fetchall())
            definitions: dict[str, str] = dict(session.execute(_DEFINED, self._application[1:]).fetchall())
        with self._open(self._target.conninfo, None) as session:
            rows = session.execute(_STATEMENTS, self._application).fetchall()
            return Snapshot(
                commits=0,
                rollbacks=0,
                statements={query: (calls, row_count) for query, calls, row_count in rows},
                table_rows=tables,
                settings=dict(
                    sorted(
                        {
                            **dict(session.execute(_SETTINGS, [list(DECIDING)]).fetchall()),
                            **definitions,
                        }.items()
                    )
                ),
                unlogged=unlogged,
                files=files,
            )


def work_between(phase: str, before: Snapshot, after: Snapshot) -> DatabaseWork:
    """Return the difference of two snapshots.

    `rows_inserted` is the growth of each table that grew: rows that stayed, exact and without those rolled
    back. A statement's text keeps its words with single blanks; statements without calls between the snapshots are
    left out.
    """
    statements = [
        Statement(query=" ".join(query.split()), calls=calls - former[0], rows=rows - former[1])
        for query, (calls, rows) in after.statements.items()
        if calls > (former := before.statements.get(query, (0, 0)))[0]
    ]
    growth = {table: rows - before.table_rows.get(table, 0) for table, rows in after.table_rows.items()}
    return DatabaseWork(
        phase=phase,
        commits=after.commits - before.commits,
        rollbacks=after.rollbacks - before.rollbacks,
        statements=tuple(sorted(statements, key=lambda statement: (-statement.calls, statement.query))),
        rows_inserted={table: rows for table, rows in sorted(growth.items()) if rows > 0},
        table_rows=dict(sorted(after.table_rows.items())),
        settings=(before.settings, after.settings) if before.settings and after.settings else (),
        unlogged=tuple(sorted({*before.unlogged, *after.unlogged})),
        rewritten=tuple(table for table, file in sorted(before.files.items()) if after.files.get(table, file) != file),
    )
