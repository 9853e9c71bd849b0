"""The reader of counters between phases, by engine, and a watch over the realtime clock."""

from __future__ import annotations

import time
from collections.abc import Callable

from plumbline.measuring.services.interface import DatabaseTarget
from .database import REPORTED_AFTER_IDLE_S, DatabaseProbe
from .mysql import MysqlProbe

CounterReader = DatabaseProbe | MysqlProbe


def probe_of(target: DatabaseTarget, *, settle_s: float = REPORTED_AFTER_IDLE_S) -> CounterReader:
    """Return the probe of a database; `settle_s` bounds the wait for the backends of PostgreSQL."""
    return MysqlProbe(target) if target.engine == "mysql" else DatabaseProbe(target, settle_s=settle_s)


class ClockWatch:
    """Remembers the difference of the realtime and the monotonic clock at its creation."""

    def __init__(
        self, realtime_s: Callable[[], float] = time.time, monotonic_s: Callable[[], float] = time.monotonic
    ) -> None:
        self._realtime_s, self._monotonic_s = realtime_s, monotonic_s
        self._first_difference_s = self._difference_s()

    def step_ms(self) -> float:
        """Return how far realtime has moved against monotonic since the creation, in ms; forward is positive."""
        return round((self._difference_s() - self._first_difference_s) * 1000, 3)

    def _difference_s(self) -> float:
        return self._realtime_s() - self._monotonic_s()
