"""The condition that there is a core for each of the four roles."""

from __future__ import annotations

from .changes import by_hand
from .face import NeededFor, Reading, Roots, fit, unfit, unknown
from .files import cpu_folder, format_cpus, online_cpus, parse_cpus, read

ID = "four-sets"
TITLE = "CPUs for four sets, all ours"
WHY = "Where application, database, load and harness share cores, each slows the others and throughput is nobody's own."
NEEDED_FOR: NeededFor = "lab"
SOURCE = 'docs/method.md, "The referee": rules R1 and R19'

changes = by_hand

# Application, database, load and housekeeping, a core each: siblings share too much to count as two.
CORES = 4


def check(roots: Roots) -> Reading:
    """Read the online CPUs, their siblings, and the CPUs that this process may run on."""
    folder = cpu_folder(roots)
    online = online_cpus(read(folder / "online"))
    status = read(roots.proc / "self/status") or ""
    lines = [line for line in status.splitlines() if line.startswith("Cpus_allowed_list:")]
    if not online or not lines:
        return unknown("which CPUs are ours is not shown (/proc/self/status)")
    allowed_cpus = sorted(set(parse_cpus(lines[0].partition(":")[2])) & set(online))
    siblings = [read(folder / f"cpu{cpu}" / "topology/thread_siblings_list") for cpu in allowed_cpus]
    if not all(siblings):
        return unknown("which CPUs share a core is not shown (topology/thread_siblings_list)")
    cores = len(set(siblings))
    if cores < CORES:
        return unfit(f"{cores} {'core' if cores == 1 else 'cores'}, and four sets need {CORES}", None)
    if len(allowed_cpus) < len(online):
        return unfit(f"only CPUs {format_cpus(allowed_cpus)} of {len(online)} are ours, others may use the rest", None)
    return fit(f"{cores} cores, all ours")
