"""The condition that the kernel does not move memory between NUMA nodes."""

from __future__ import annotations

from .changes import Change, Value
from .face import NeededFor, Reading, Roots, fit, not_applicable, unfit, unknown
from .files import lacks, read

ID = "numa-balancing"
TITLE = "NUMA balancing off"
WHY = "To learn who uses a page the kernel takes it away for a moment, again and again, in the middle of requests."
NEEDED_FOR: NeededFor = "lab"
SOURCE = "https://docs.kernel.org/admin-guide/sysctl/kernel.html#numa-balancing"

COMMAND = "sudo sysctl -w kernel.numa_balancing=0"


def check(roots: Roots) -> Reading:
    """Read kernel.numa_balancing: 0 is off, 1 and 2 are ways of balancing."""
    path = roots.proc / "sys/kernel/numa_balancing"
    if lacks(path):
        return not_applicable("this kernel balances nothing")
    value = read(path)
    if not value:
        return unknown("not shown (kernel.numa_balancing)")
    return fit("off") if value == "0" else unfit(f"on (kernel.numa_balancing is {value})", COMMAND)


def changes(roots: Roots) -> list[Change]:
    """Return the change that switches it off."""
    path = roots.proc / "sys/kernel/numa_balancing"
    return [Value(path, "0")] if read(path) else []
