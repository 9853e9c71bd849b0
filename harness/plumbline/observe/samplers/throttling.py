"""Sample how long a CPU quota held each role back, from its cgroup's cpu.stat."""

from __future__ import annotations

from ..open_file import keyed
from ..roots import Roots
from .base import RoleFiles, Row, Tick
from .memory import SAMPLED_ROLES


class ThrottlingSampler:
    """Samples the throttling by CPU quotas: `<role>.throttled_us` and `.throttled_periods`: v2 says `throttled_usec`,
    v1 `throttled_time` in ns.
    """

    def __init__(self, roots: Roots) -> None:
        del roots
        self._stat = RoleFiles("cpu.stat")

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

    def close(self) -> None:
        """Close the cgroups' files."""
        self._stat.close()
