"""Sample the CPU time of each role's set, from /proc/stat."""

from __future__ import annotations

from plumbline.model.host import ROLES
from ..open_file import OpenFile
from ..roots import TICK_US, Roots
from .base import HoldsFiles, Row, Tick

# proc(5): user nice system idle iowait irq softirq steal; guest time is part of user.
_USER, _NICE, _SYSTEM, _IDLE, _IOWAIT, _IRQ, _SOFTIRQ, _STEAL = range(8)


class CpuSetsSampler(HoldsFiles):
    """Samples the CPU time of each set: `set.<role>.{busy,idle,iowait,irq,softirq,steal}_us` of the roles app, db, load
    and housekeeping.

    `busy` is user, nice, system, irq and softirq together; `irq` and `softirq` are named again, `steal` is
    not in it.
    """

    def __init__(self, roots: Roots) -> None:
        super().__init__(roots)
        self._stat = self.hold(OpenFile(roots.proc / "stat"))

    def sample(self, tick: Tick) -> Row:
        """Return sums over each set's CPUs, in microseconds; nothing for a CPU that is not listed."""
        content = self._stat.read()
        if content is None:
            return {}
        cpus: dict[int, list[int]] = {}
        for line in content.splitlines():
            if not line.startswith(b"cpu"):
                break
            name, *fields = line.split()
            if name != b"cpu":
                cpus[int(name[3:])] = [int(field) * TICK_US for field in fields[:8]]
        row: dict[str, float | None] = {}
        for role in ROLES:
            of_set = [cpus[number] for number in tick.targets.sets.of(role) if number in cpus]
            if not of_set:
                continue
            total = [sum(column) for column in zip(*of_set, strict=True)]
            row[f"set.{role}.busy_us"] = (
                total[_USER] + total[_NICE] + total[_SYSTEM] + total[_IRQ] + total[_SOFTIRQ]
            )
            row[f"set.{role}.idle_us"] = total[_IDLE]
            row[f"set.{role}.iowait_us"] = total[_IOWAIT]
            row[f"set.{role}.irq_us"] = total[_IRQ]
            row[f"set.{role}.softirq_us"] = total[_SOFTIRQ]
            row[f"set.{role}.steal_us"] = total[_STEAL]
        return row
