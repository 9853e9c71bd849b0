"""The reader of counters between phases, by engine."""

from __future__ import annotations

from typing import Protocol

from plumbline.model.evidence import TlsUse
from plumbline.services.interface import DatabaseTarget
from .database import REPORTED_AFTER_IDLE_S, DatabaseProbe, Snapshot
from .mysql import MysqlProbe


class CounterReader(Protocol):
    """Reads the application's database between phases; None or nothing when it can't."""

    def before(self) -> Snapshot | None:
        """Counters before a phase."""

    def after(self) -> Snapshot | None:
        """Counters after a phase."""

    def tls(self) -> tuple[TlsUse, ...]:
        """The application's sessions by TLS version and cipher."""


def probe_of(target: DatabaseTarget, *, settle_s: float = REPORTED_AFTER_IDLE_S) -> CounterReader:
    """`settle_s` bounds the wait for PostgreSQL's backends; MySQL has nothing to wait for."""
    return MysqlProbe(target) if target.engine == "mysql" else DatabaseProbe(target, settle_s=settle_s)
