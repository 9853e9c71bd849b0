"""A PostgreSQL server with the application's database in it: template, restore, settings.

    bench_template   the seed; nobody logs in to it
    bench            a copy for each trial, for the application and the probe
    bench_counters   the probe logs in here: the extension that counts statements, and nothing else

All three belong to the administrator, so that nothing that an application makes is ever run by somebody else.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import psycopg
from psycopg import sql

from plumbline.model.errors import UsageError
from ..hosted import HostedDatabase, refuse_changes
from ..interface import DatabaseAddress, DatabaseTarget
from . import roles
from .server import Login, Server
from .settings import RECORDED

DATABASE = "bench"
TEMPLATE = "bench_template"
COUNTERS = "bench_counters"

# The comment of each database of ours; a database without this comment is somebody else's.
_MARK = "made by plumbline, may be dropped"

# A new database takes over nothing that somebody put into template1 of the server.
_EMPTY_TEMPLATE = "template0"


class PostgresService(HostedDatabase):
    """See HostedDatabase."""

    _server: Server
    scheme = "postgresql"
    refused = psycopg.Error

    def __init__(self, server: Server, contract_sql: Path) -> None:
        super().__init__(server, contract_sql)
        self._login: Login | None = None
        self._settings_before: Mapping[str, str] = {}

    @property
    def login(self) -> Login:
        """The administrator's login, for those who set the server up."""
        if self._login is None:
            raise RuntimeError("the database service is not entered")
        return self._login

    @property
    def address(self) -> DatabaseAddress:
        """The address for the application."""
        login = self.login
        return DatabaseAddress(login.host, login.port, DATABASE, roles.APPLICATION, self._password, login.authority)

    @property
    def target(self) -> DatabaseTarget:
        """The address for readers of counters."""
        return DatabaseTarget(self._probe.conninfo(), DATABASE, roles.APPLICATION)

    @property
    def _passwords(self) -> Mapping[str, str]:
        return {roles.APPLICATION: self._password, roles.PROBE: self._probe_password}

    @property
    def _probe(self) -> Login:
        return replace(self.login, user=roles.PROBE, password=self._probe_password, database=COUNTERS)

    def restore(self, prepare: str | None = None) -> None:
        """Put seed, roles and counters back as new. The checkpoint comes last, so that none is due within the trial."""
        with (
            self._explaining_refusals("The database could not be restored"),
            self._admin_session(COUNTERS) as session,
        ):
            session.execute(_statement("DROP DATABASE IF EXISTS {} WITH (FORCE)", DATABASE))
            roles.reset_roles(session, self._passwords)
            self._make_database(session, DATABASE, TEMPLATE, roles.APPLICATION, roles.PROBE)
            if prepare is not None:
                self._prepare(prepare)
            refuse_changes(self._settings_before, roles.settings_in_force(session))
            session.execute("SELECT public.pg_stat_statements_reset()")
            session.execute("CHECKPOINT")

    def _prepare(self, name: str) -> None:
        with self._admin_session(DATABASE) as session:
            session.execute((self._sql / "prepare" / f"{name}.sql").read_bytes())
            session.execute("VACUUM (ANALYZE)")

    def rewrite(self, table: str, column: str, id: int, before: str, after: str, *, primary_key: str = "id") -> bool:
        """See HostedDatabase."""
        statement = sql.SQL("UPDATE public.{} SET {} = %s WHERE {} = %s AND {} = %s")
        name, key = sql.Identifier(column), sql.Identifier(primary_key)
        with (
            self._explaining_refusals(f"A row of {table} could not be changed"),
            self._admin_session(DATABASE) as session,
        ):
            result = session.execute(statement.format(sql.Identifier(table), name, key, name), [after, id, before])
            return result.rowcount == 1

    @contextmanager
    def tables_locked_for_writes(self, tables: Sequence[str]) -> Iterator[None]:
        """See HostedDatabase."""
        names = sql.SQL(", ").join(sql.Identifier("public", table) for table in tables)
        database = self.login.conninfo(DATABASE)
        with self._explaining_refusals("Tables could not be locked"), psycopg.connect(database) as session:
            session.execute(sql.SQL("LOCK TABLE {} IN SHARE ROW EXCLUSIVE MODE").format(names))
            yield

    def start_again(self) -> None:
        """Start the server anew; the template, which may be damaged, is made anew too. Raises CannotGoOn."""
        self._server.stop()
        self._begin()

    def _set_up(self) -> None:
        self._login = self._server.start()
        with self._admin_session() as session:
            self._refuse_foreign_databases(session)
            roles.make_roles(session, self._passwords)
            self._make_template(session)
            self._make_counters(session)
            self.settings = _read_settings(session)
        with self._admin_session(COUNTERS) as session:
            self._settings_before = roles.settings_in_force(session)
        self.restore()

    def _log_in(self) -> None:
        with self._admin_session() as session:
            session.execute("SELECT 1")

    def _admin_session(self, database: str | None = None) -> roles.Session:
        return psycopg.connect(self.login.conninfo(database), autocommit=True)

    def _refuse_foreign_databases(self, session: roles.Session) -> None:
        rows = session.execute(
            "SELECT datname FROM pg_database WHERE datname = ANY(%s)"
            " AND shobj_description(oid, 'pg_database') IS DISTINCT FROM %s",
            [[DATABASE, TEMPLATE, COUNTERS], _MARK],
        ).fetchall()
        if rows:
            raise UsageError(
                f"The server has a database {rows[0][0]} that is not ours, and a trial would drop it.",
                "Rename it, or give the address of another server.",
            )

    def _make_template(self, session: roles.Session) -> None:
        for name in (DATABASE, TEMPLATE):
            session.execute(_statement("DROP DATABASE IF EXISTS {} WITH (FORCE)", name))
        self._make_database(session, TEMPLATE, _EMPTY_TEMPLATE)
        with self._admin_session(TEMPLATE) as template_session:
            for name in ("pg/schema.sql", "fruits.sql", "pg/rows.sql"):
                template_session.execute((self._sql / name).read_bytes())
            roles.grant_rows(template_session)
            # Statistics are there from the start: no plan changes within a trial.
            template_session.execute("VACUUM (FREEZE, ANALYZE)")

    def _make_counters(self, session: roles.Session) -> None:
        session.execute(_statement("DROP DATABASE IF EXISTS {} WITH (FORCE)", COUNTERS))
        self._make_database(session, COUNTERS, _EMPTY_TEMPLATE, roles.PROBE)
        with self._admin_session(COUNTERS) as counters_session:
            counters_session.execute("CREATE EXTENSION pg_stat_statements SCHEMA public")

    def _make_database(self, session: roles.Session, database: str, template: str, *allowed: str) -> None:
        """Make a database of the administrator, with our mark, and open to these roles alone."""
        text = "CREATE DATABASE {} TEMPLATE {}" + (" ENCODING 'UTF8'" if template == _EMPTY_TEMPLATE else "")
        session.execute(_statement(text, database, template))
        comment = sql.SQL("COMMENT ON DATABASE {} IS {}")
        session.execute(comment.format(sql.Identifier(database), sql.Literal(_MARK)))
        roles.close_database(session, database, *allowed)


def _read_settings(session: roles.Session) -> dict[str, str]:
    rows = session.execute(
        "SELECT name, current_setting(name) FROM pg_settings WHERE name = ANY(%s) ORDER BY name",
        [list(RECORDED)],
    ).fetchall()
    return {str(name): str(value) for name, value in rows}


def _statement(text: str, *names: str) -> sql.Composed:
    return sql.SQL(text).format(*(sql.Identifier(name) for name in names))
