"""Sample how long a CPU quota held each role back, from its cgroup's cpu.stat."""

from __future__ import annotations

from ..open_file import keyed
from ..roots import Roots
from .base import HoldsFiles, RoleFiles, Row, Tick
from .memory import SAMPLED_ROLES


class ThrottlingSampler(HoldsFiles):
    """Samples `<role>.throttled_us` (v2 `throttled_usec`, v1 `throttled_time` in ns) and `.throttled_periods`."""

    def __init__(self, roots: Roots) -> None:
        super().__init__(roots)
        self._stat = self.hold(RoleFiles("cpu.stat"))

    def sample(self, tick: Tick) -> Row:
        """Return the throttled time of each role; None for a role without a cgroup with a CPU controller."""
        row: dict[str, float | None] = {}
        for role in SAMPLED_ROLES:
            numbers = keyed(self._stat.read(role, tick) or b"")
            throttled_ns = numbers.get(b"throttled_time")
            row[f"{role}.throttled_us"] = (
                numbers.get(b"throttled_usec") if throttled_ns is None else throttled_ns // 1000
            )
            row[f"{role}.throttled_periods"] = numbers.get(b"nr_throttled")
        return row
