"""Read the work of MySQL for the application within a phase, and the server's settings meanwhile: the same questions
as to PostgreSQL.

Everything is visible at once, but for a statement whose answer arrived before the server counted it: on busy CPUs this
takes some milliseconds, so counts are read until two readings agree. Statements are those of performance_schema by
digest, without back quotes, so that one text means the same on both engines. `commits` are COMMITs of the application
(Com_commit, counted by user); a statement that commits by itself is not counted.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import pymysql

from plumbline.measuring.services.interface import DatabaseTarget
from plumbline.measuring.services.mysql.session import MysqlLogin
from plumbline.model.evidence import TlsUse
from .database import Snapshot

_TRANSACTIONS = """
SELECT EVENT_NAME, COUNT_STAR FROM performance_schema.events_statements_summary_by_user_by_event_name
WHERE USER = %s AND EVENT_NAME IN ('statement/sql/commit', 'statement/sql/rollback')"""

# Only the application's sessions have its database as their default: our own statements name the database.
_STATEMENTS = """
SELECT DIGEST_TEXT, SUM(COUNT_STAR), SUM(SUM_ROWS_SENT + SUM_ROWS_AFFECTED)
FROM performance_schema.events_statements_summary_by_digest
WHERE SCHEMA_NAME = %s AND DIGEST_TEXT IS NOT NULL
GROUP BY DIGEST_TEXT"""

# A statement that the server has prepared runs without a digest, and is counted here for as long as it is prepared.
_PREPARED = """
SELECT p.SQL_TEXT, SUM(p.COUNT_EXECUTE), SUM(p.SUM_ROWS_SENT + p.SUM_ROWS_AFFECTED)
FROM performance_schema.prepared_statements_instances p
     JOIN performance_schema.threads t ON t.THREAD_ID = p.OWNER_THREAD_ID
WHERE t.PROCESSLIST_DB = %s AND p.COUNT_EXECUTE > 0
GROUP BY p.SQL_TEXT"""

_TABLES = "SELECT TABLE_NAME FROM information_schema.tables WHERE TABLE_SCHEMA = %s ORDER BY TABLE_NAME"

# Rows of another engine's tables are in no log of InnoDB's.
_UNLOGGED = """
SELECT TABLE_NAME FROM information_schema.tables
WHERE TABLE_SCHEMA = %s AND TABLE_TYPE = 'BASE TABLE' AND ENGINE <> 'InnoDB' ORDER BY TABLE_NAME"""

# The same kind of settings as DECIDING of PostgreSQL.
DECIDING = ("innodb_flush_log_at_trx_commit", "innodb_doublewrite", "transaction_isolation")

_SETTINGS = """
SELECT VARIABLE_NAME, VARIABLE_VALUE FROM performance_schema.global_variables
WHERE VARIABLE_NAME IN %s ORDER BY VARIABLE_NAME"""

_TLS = """
SELECT v.VARIABLE_VALUE, c.VARIABLE_VALUE, COUNT(*)
FROM performance_schema.threads t
     JOIN performance_schema.status_by_thread v ON v.THREAD_ID = t.THREAD_ID AND v.VARIABLE_NAME = 'Ssl_version'
     JOIN performance_schema.status_by_thread c ON c.THREAD_ID = t.THREAD_ID AND c.VARIABLE_NAME = 'Ssl_cipher'
WHERE t.PROCESSLIST_DB = %s AND t.PROCESSLIST_USER = %s
GROUP BY 1, 2 ORDER BY 1, 2"""

# An application that is never idle gives no two equal readings, and its last statements may be missing then.
_AGREES_AFTER_S = 0.1
_AGREES_WITHIN_S = 2.0

Ask = Callable[[str, list[Any] | None], list[tuple[Any, ...]]]
OpenSession = Callable[[DatabaseTarget], AbstractContextManager[Ask]]

# Event -> how often it happened, and statement -> (calls, rows).
_Counts = tuple[dict[str, int], dict[str, tuple[int, int]]]


class _Session:
    def __init__(self, target: DatabaseTarget) -> None:
        self._connection = MysqlLogin.of(target.conninfo).open()

    def __enter__(self) -> Ask:
        return self._ask

    def __exit__(self, *error: object) -> None:
        self._connection.close()

    def _ask(self, query: str, arguments: list[Any] | None) -> list[tuple[Any, ...]]:
        with self._connection.cursor() as cursor:
            cursor.execute(query, arguments)
            return list(cursor.fetchall())


class MysqlProbe:
    """The probe of MySQL, with the methods of DatabaseProbe: each returns None or nothing when MySQL can't be read."""

    def __init__(
        self,
        target: DatabaseTarget,
        *,
        open_session: OpenSession = _Session,
        now: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._target, self._open = target, open_session
        self._now, self._sleep = now, sleep

    def before(self) -> Snapshot | None:
        """Return counters before a phase."""
        return self._snapshot()

    def after(self) -> Snapshot | None:
        """Return counters after a phase."""
        return self._snapshot()

    def tls(self) -> tuple[TlsUse, ...]:
        """Return the application's sessions by TLS version and cipher."""
        target = self._target
        try:
            with self._open(target) as ask:
                rows = ask(_TLS, [target.application_database, target.application_user])
        except (pymysql.MySQLError, OSError):
            return ()
        return tuple(
            TlsUse(version=version or None, cipher=cipher or None, connections=count) for version, cipher, count in rows
        )

    def _snapshot(self) -> Snapshot | None:
        database = self._target.application_database
        try:
            with self._open(self._target) as ask:
                transactions, statements = self._settled_counts(ask)
                tables = {}
                for (table,) in ask(_TABLES, [database]):
                    ((tables[table],),) = ask(f"SELECT COUNT(*) FROM `{database}`.`{table}`", None)
                settings = {str(name): str(value) for name, value in ask(_SETTINGS, [DECIDING])}
                unlogged = tuple(table for (table,) in ask(_UNLOGGED, [database]))
        except (pymysql.MySQLError, OSError):
            return None
        commits, rollbacks = (transactions.get(f"statement/sql/{word}", 0) for word in ("commit", "rollback"))
        return Snapshot(commits, rollbacks, statements, tables, settings, unlogged)

    def _settled_counts(self, ask: Ask) -> _Counts:
        counts = self._counts(ask)
        deadline_s = self._now() + _AGREES_WITHIN_S
        while self._now() < deadline_s:
            self._sleep(_AGREES_AFTER_S)
            former, counts = counts, self._counts(ask)
            if counts == former:
                break
        return counts

    def _counts(self, ask: Ask) -> _Counts:
        transactions = {name: int(count) for name, count in ask(_TRANSACTIONS, [self._target.application_user])}
        statements: dict[str, tuple[int, int]] = {}
        for query in (_STATEMENTS, _PREPARED):
            for text, calls, rows in ask(query, [self._target.application_database]):
                key = " ".join(text.replace("`", "").split())
                counted = statements.get(key, (0, 0))
                statements[key] = (counted[0] + int(calls), counted[1] + int(rows))
        return transactions, statements
