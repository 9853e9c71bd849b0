"""Read whether the realtime clock was stepped during a trial (rule R26)."""

from __future__ import annotations

import time
from collections.abc import Callable


class ClockWatch:
    """Remembers how far realtime and monotonic lie apart at its making."""

    def __init__(
        self, realtime_s: Callable[[], float] = time.time, monotonic_s: Callable[[], float] = time.monotonic
    ) -> None:
        self._realtime_s, self._monotonic_s = realtime_s, monotonic_s
        self._apart_s = self._apart()

    def step_ms(self) -> float:
        """Return how far realtime has moved against monotonic since then, in ms; forward is positive."""
        return round((self._apart() - self._apart_s) * 1000, 3)

    def _apart(self) -> float:
        return self._realtime_s() - self._monotonic_s()
