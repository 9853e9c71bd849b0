"""Sample work and sessions of the application in its database, once a second on a session of our own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import psycopg
import pymysql

from plumbline.measuring.services.interface import DatabaseTarget
from ..targets import Roots
from .base import Row, Tick
from .mysql import MysqlSession
from .postgres import PostgresSession

# Ticks without a new attempt after a failed one: connecting to a stopped server blocks for seconds.
PAUSE_TICKS = 5


class DatabaseSampler:
    """The columns `db.*` but for memory, CPU and pressure, of either engine.

    Counters are those of `pg_stat_database` (`rows_read` is `tup_returned`). Backends report them about once
    a second, and one that falls idle within a second of its last report only ten seconds later: judge windows
    of some seconds.
    """

    def __init__(self, roots: Roots, connect: Connect | None = None) -> None:
        self._connect: Connect = session_of if connect is None else connect
        self._target: DatabaseTarget | None = None
        self._session: SamplerSession | None = None
        self._pause = 0

    def sample(self, tick: Tick) -> Row:
        """Return counters since their reset, and gauges now; nothing while the server does not answer."""
        target = tick.targets.database
        if target != self._target:
            self.close()
            self._target, self._pause = target, 0
        if target is None:
            return {}
        if self._pause:
            self._pause -= 1
            return {}
        try:
            if self._session is None:
                self._session = self._connect(target)
            values = self._session.ask()
        except (psycopg.Error, pymysql.MySQLError, OSError):
            self.close()
            self._pause = PAUSE_TICKS
            return {}
        return values

    def close(self) -> None:
        """End the session."""
        if self._session is not None:
            self._session.close()
            self._session = None


class SamplerSession(Protocol):
    """A session that answers the sampler's query."""

    def ask(self) -> Row:
        """Return columns, none when the application's database does not exist. Raises the driver's error."""

    def close(self) -> None:
        """End the session."""


Connect = Callable[[DatabaseTarget], SamplerSession]


def session_of(target: DatabaseTarget) -> SamplerSession:
    """Return a session of the target's engine."""
    return MysqlSession(target) if target.engine == "mysql" else PostgresSession(target)
