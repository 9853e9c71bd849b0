"""CPU time of each role on CPUs that are not its own, as control groups of version 1 count it for each CPU."""

from __future__ import annotations

from plumbline.place.interface import PlacedRole
from ..roots import Roots
from .base import HoldsFiles, RoleFiles, Row, Tick
from .memory import SAMPLED_ROLES


class OutsideSampler(HoldsFiles):
    """Samples the CPU time of roles outside of their sets: `cpu.<role>.outside_us`: the scheduler's own count, by
    `cpuacct.usage_percpu`.

    Version 2 counts no CPU apart; there the application's threads tell (`observe.threads`).
    """

    def __init__(self, roots: Roots) -> None:
        super().__init__(roots)
        self._counts = self.hold(RoleFiles("cpuacct.usage_percpu"))

    def sample(self, tick: Tick) -> Row:
        """Return microseconds since the group was made; None where the host has no such file."""
        counts = {role: self._counts.read(role, tick) for role in SAMPLED_ROLES}
        return {
            f"cpu.{role}.outside_us": None if content is None else _outside_us(content, role, tick)
            for role, content in counts.items()
        }


def _outside_us(content: bytes, role: PlacedRole, tick: Tick) -> int:
    own = set(tick.targets.set_of(role))
    return sum(int(ns) for cpu, ns in enumerate(content.split()) if cpu not in own) // 1000
