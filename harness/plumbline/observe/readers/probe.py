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
        """Return counters before a phase."""

    def after(self) -> Snapshot | None:
        """Return counters after a phase."""

    def tls(self) -> tuple[TlsUse, ...]:
        """Return the application's sessions by TLS version and cipher."""


def probe_of(target: DatabaseTarget, *, settle_s: float = REPORTED_AFTER_IDLE_S) -> CounterReader:
    """Return the probe of a database; `settle_s` bounds the wait for the backends of PostgreSQL."""
    return MysqlProbe(target) if target.engine == "mysql" else DatabaseProbe(target, settle_s=settle_s)
