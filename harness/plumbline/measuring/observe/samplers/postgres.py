"""The counters and sessions of the application in PostgreSQL, by one prepared query."""

from __future__ import annotations

import select
import time

import psycopg
from psycopg import pq

from plumbline.measuring.services.interface import OWN_NAME, DatabaseTarget
from .base import Row

# A healthy server answers in a millisecond. A later answer leaves a hole in the series, and the tick goes on.
ANSWER_TIMEOUT_S = 0.3

# In the order of the query.
_NAMES = """
commits rollbacks rows_read rows_inserted rows_updated rows_deleted blocks_read blocks_hit deadlocks
temporary_bytes wal_records wal_syncs checkpoints durable others_active connections active
idle_in_transaction idle_in_transaction_max_s waiting_locks waiting_wal waiting_io tls_connections
"""
COLUMNS = tuple(f"db.{name}" for name in _NAMES.split())

_STATEMENT = b"plumbline_sample"

# Only flushes of client backends count, since these commit: the log's own writer flushes five times a second, whether
# or not a session waits for it.
#
# WAL events stand under three types (LWLock, IO, IPC), so they are recognised by name and left out of the other
# two counts.
_QUERY = f"""
SELECT d.xact_commit, d.xact_rollback, d.tup_returned, d.tup_inserted, d.tup_updated,
       d.tup_deleted, d.blks_read, d.blks_hit, d.deadlocks, d.temp_bytes,
       (SELECT wal_records FROM pg_catalog.pg_stat_wal),
       (SELECT sum(fsyncs) FROM pg_catalog.pg_stat_io WHERE object = 'wal' AND backend_type = 'client backend'),
       (SELECT num_timed + num_requested FROM pg_catalog.pg_stat_checkpointer),
       (current_setting('fsync') = 'on' AND current_setting('full_page_writes') = 'on'
           AND current_setting('synchronous_commit') <> 'off')::int,
       (SELECT count(*) FROM pg_catalog.pg_stat_activity o
        WHERE o.state = 'active' AND o.backend_type IN ('client backend', 'walsender')
          AND NOT (o.datname IS NOT DISTINCT FROM $1 AND o.usename = $2)
          AND o.application_name NOT LIKE '{OWN_NAME}%'),
       s.*
FROM pg_catalog.pg_stat_database d,
     (SELECT count(*),
             count(*) FILTER (WHERE a.state = 'active'),
             count(*) FILTER (WHERE a.state LIKE 'idle in transaction%'),
             coalesce(round(extract(epoch FROM max(clock_timestamp() - a.state_change)
                 FILTER (WHERE a.state LIKE 'idle in transaction%')), 3), 0),
             count(*) FILTER (WHERE a.wait_event_type IN ('Lock', 'LWLock') AND NOT a.wal),
             count(*) FILTER (WHERE a.wait_event_type IN ('LWLock', 'IO', 'IPC') AND a.wal),
             count(*) FILTER (WHERE a.wait_event_type = 'IO' AND NOT a.wal),
             count(*) FILTER (WHERE t.ssl)
      FROM (SELECT *, wait_event ILIKE 'wal%' AS wal FROM pg_catalog.pg_stat_activity) a
           LEFT JOIN pg_catalog.pg_stat_ssl t USING (pid)
      WHERE a.datname = $1 AND a.usename = $2 AND a.backend_type = 'client backend') s
WHERE d.datname = $1"""


class PostgresSession:
    """A session of our own with the query prepared."""

    def __init__(self, target: DatabaseTarget) -> None:
        """Connect. Raises psycopg.Error."""
        self._arguments = [target.application_database.encode(), target.application_user.encode()]
        self._connection: psycopg.Connection[tuple[object, ...]] = psycopg.connect(
            target.conninfo,
            autocommit=True,
            application_name=f"{OWN_NAME}-sampler",
            connect_timeout=2,
            options=f"-c statement_timeout={round(ANSWER_TIMEOUT_S * 1000)} -c jit=off",
        )
        prepared = self._connection.pgconn.prepare(_STATEMENT, _QUERY.encode())
        if prepared.status != pq.ExecStatus.COMMAND_OK:
            self._connection.close()
            raise psycopg.OperationalError(prepared.error_message.decode(errors="replace"))

    def ask(self) -> Row:
        """Run the query, and return its columns."""
        self._connection.pgconn.send_query_prepared(_STATEMENT, self._arguments)
        return dict(zip(COLUMNS, numbers(self._connection.pgconn, ANSWER_TIMEOUT_S), strict=False))

    def close(self) -> None:
        """End the session."""
        self._connection.close()


def numbers(session: pq.abc.PGconn, timeout_s: float) -> list[float]:
    """Return the one row that was asked for, as numbers; empty when there is none.

    Never waits longer than the timeout, not even for a stopped server. Raises psycopg.OperationalError.
    """
    deadline_s = time.monotonic() + timeout_s
    poll = select.poll()
    poll.register(session.socket, select.POLLIN)
    while session.is_busy():
        left_ms = (deadline_s - time.monotonic()) * 1000
        if left_ms <= 0 or not poll.poll(left_ms):
            raise psycopg.OperationalError("no answer in time")
        session.consume_input()
    values: list[float] = []
    while (result := session.get_result()) is not None:
        if result.status != pq.ExecStatus.TUPLES_OK:
            raise psycopg.OperationalError(result.error_message.decode(errors="replace"))
        if result.ntuples:
            values = [float(result.get_value(0, column) or b"0") for column in range(result.nfields)]
    return values
