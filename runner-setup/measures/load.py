"""The condition that nobody else works on the host."""

from __future__ import annotations

from .changes import by_hand
from .face import NeededFor, Reading, Roots, fit, unfit, unknown
from .files import cpu_folder, online_cpus, read

ID = "load"
TITLE = "Quiet before the start"
WHY = "Another job takes CPU, cache and memory bandwidth, and nothing in the numbers says whose they were."
# Only reported: rule R25 asks before each trial who else runs, and after a session the load is the session's own.
NEEDED_FOR: NeededFor = "extra"
SOURCE = 'docs/method.md, "The referee": rule R25'

changes = by_hand

# Rule R25 allows others 2 % of the CPUs. A load average also counts what waits for a disk, so twice that; a shell and
# the check itself come to 0.2 on any host.
QUIET_PER_CPU = 0.04
QUIET_AT_LEAST = 0.2


def check(roots: Roots) -> Reading:
    """Read the first figure of /proc/loadavg: tasks that ran or waited, averaged over a minute."""
    average, cpus = read(roots.proc / "loadavg"), online_cpus(read(cpu_folder(roots) / "online"))
    if not average or not cpus:
        return unknown("not shown (/proc/loadavg)")
    load = float(average.split()[0])
    limit = max(QUIET_AT_LEAST, QUIET_PER_CPU * len(cpus))
    reading = f"load {load:.2f} in the last minute"
    if load <= limit:
        return fit(reading)
    return unfit(f"{reading}, quiet is {limit:.2f} or less: wait, or see in `top` who it is", None)
