"""Work and sessions of the application in MySQL, by one query a second on a session of our own."""

from __future__ import annotations

from typing import Any

import pymysql
from pymysql.connections import Connection

from plumbline.measuring.services.interface import DatabaseTarget
from plumbline.measuring.services.mysql.session import MysqlLogin

# A healthy server answers in a few milliseconds.
ANSWER_TIMEOUT_S = 0.5

# COMMIT and ROLLBACK of the application (Com_commit and Com_rollback, counted by user).
_TRANSACTIONS = """
SELECT EVENT_NAME, COUNT_STAR FROM performance_schema.events_statements_summary_by_user_by_event_name
WHERE USER = %s AND EVENT_NAME IN ('statement/sql/commit', 'statement/sql/rollback')"""

_COUNTERS = {
    "Innodb_rows_read": "db.rows_read",
    "Innodb_rows_inserted": "db.rows_inserted",
    "Innodb_rows_updated": "db.rows_updated",
    "Innodb_rows_deleted": "db.rows_deleted",
    "Innodb_buffer_pool_reads": "db.blocks_read",
    "Innodb_buffer_pool_read_requests": "db.blocks_hit",
    "Innodb_row_lock_current_waits": "db.waiting_locks",
    "Innodb_log_write_requests": "db.wal_records",
    "Innodb_os_log_fsyncs": "db.wal_syncs",
}
# Waits of the server as a whole: without costly instruments MySQL counts them for files, not for sessions.
_WAL_WAITS = ("Innodb_os_log_pending_fsyncs", "Innodb_os_log_pending_writes")
_IO_WAITS = ("Innodb_data_pending_fsyncs", "Innodb_data_pending_reads", "Innodb_data_pending_writes")

_STATUS = f"""
SELECT VARIABLE_NAME, VARIABLE_VALUE FROM performance_schema.global_status
WHERE VARIABLE_NAME IN {(*_COUNTERS, *_WAL_WAITS, *_IO_WAITS)!r}"""

# PROCESSLIST_TIME of a session without a command in a transaction is the time that it has been idle, in whole seconds.
_SESSIONS = """
SELECT COUNT(*), COALESCE(SUM(t.PROCESSLIST_COMMAND <> 'Sleep'), 0),
       COALESCE(SUM(t.PROCESSLIST_COMMAND = 'Sleep' AND x.trx_id IS NOT NULL), 0),
       COALESCE(MAX(IF(t.PROCESSLIST_COMMAND = 'Sleep' AND x.trx_id IS NOT NULL, t.PROCESSLIST_TIME, 0)), 0),
       COALESCE(SUM(t.CONNECTION_TYPE = 'SSL/TLS'), 0)
FROM performance_schema.threads t
     LEFT JOIN information_schema.innodb_trx x ON x.trx_mysql_thread_id = t.PROCESSLIST_ID
WHERE t.PROCESSLIST_DB = %s AND t.PROCESSLIST_USER = %s"""

# Sessions at work that are neither the application's nor this one. The server's own threads are daemons.
_OTHERS = """
SELECT COUNT(*) FROM performance_schema.threads o
WHERE o.TYPE = 'FOREGROUND' AND o.PROCESSLIST_COMMAND NOT IN ('Sleep', 'Daemon')
      AND o.PROCESSLIST_ID <> CONNECTION_ID() AND NOT (o.PROCESSLIST_DB <=> %s AND o.PROCESSLIST_USER <=> %s)"""

_DURABLE = "SELECT @@GLOBAL.innodb_flush_log_at_trx_commit = 1"

_GAUGES = (
    "db.connections",
    "db.active",
    "db.idle_in_transaction",
    "db.idle_in_transaction_max_s",
    "db.tls_connections",
)


class MysqlSession:
    """A session with the interface of PostgresSession; MySQL returns names beside the numbers."""

    def __init__(self, target: DatabaseTarget) -> None:
        """Connect. Raises pymysql.MySQLError or OSError."""
        self._application = [target.application_database, target.application_user]
        self._connection: Connection[Any] = MysqlLogin.of(target.conninfo).open(ANSWER_TIMEOUT_S)

    def ask(self) -> dict[str, float]:
        """Return columns `db.*`. Raises pymysql.MySQLError or OSError."""
        with self._connection.cursor() as cursor:
            cursor.execute(_TRANSACTIONS, self._application[1:])
            transactions = {name: float(count) for name, count in cursor.fetchall()}
            cursor.execute(_STATUS)
            status = {name: float(value) for name, value in cursor.fetchall()}
            cursor.execute(_SESSIONS, self._application)
            sessions = cursor.fetchone()
            cursor.execute(_OTHERS, self._application)
            ((others,),) = cursor.fetchall()
            cursor.execute(_DURABLE)
            ((durable,),) = cursor.fetchall()
        row = {column: status[name] for name, column in _COUNTERS.items() if name in status}
        row["db.commits"] = transactions.get("statement/sql/commit", 0.0)
        row["db.rollbacks"] = transactions.get("statement/sql/rollback", 0.0)
        row["db.waiting_wal"] = sum(status.get(name, 0.0) for name in _WAL_WAITS)
        row["db.waiting_io"] = sum(status.get(name, 0.0) for name in _IO_WAITS)
        row["db.others_active"] = float(others)
        row["db.durable"] = float(durable)
        row.update(zip(_GAUGES, map(float, sessions or ()), strict=False))
        return row

    def close(self) -> None:
        """End the session; a session that broke is closed already."""
        if self._connection.open:
            try:
                self._connection.close()
            except (pymysql.MySQLError, OSError):
                return
