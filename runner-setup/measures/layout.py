"""Which CPUs do the housekeeping: the harness, its samplers, interrupts and the kernel's own work.

The harness plans the same CPUs for this role (`harness/plumbline/measuring/place/sets.py`, which a test holds them
against). An install without the harness has to know them as well.
"""

from __future__ import annotations

from dataclasses import replace

from .face import Roots
from .files import cpu_folder, first_threads, online_cpus, read

# Application, database, load and housekeeping.
ROLES = 4
CORES_PER_HOUSEKEEPER = 16


def planned(roots: Roots) -> Roots:
    """The roots with the CPUs of housekeeping, and all others as those that it keeps free.

    Only the first thread of each core is counted, as it is once SMT is off. Both are empty with fewer than two cores.
    """
    cores = first_threads(roots)
    if len(cores) < 2:
        return roots
    keepers = _housekeepers(roots, cores)
    return replace(roots, housekeeping=keepers, app_cpus=tuple(cpu for cpu in cores if cpu not in keepers))


def _housekeepers(roots: Roots, cores: tuple[int, ...]) -> tuple[int, ...]:
    if len(cores) < ROLES:
        return cores[:1]
    nodes: dict[int, list[int]] = {}
    of_cpu = _node_of_cpu(roots)
    for cpu in cores:
        nodes.setdefault(of_cpu.get(cpu, 0), []).append(cpu)
    by_size = sorted(nodes.values(), key=len, reverse=True)
    home = [node for node in by_size if len(node) == len(by_size[0])][-1]
    others = [node for node in by_size if node is not home]
    near = home if len(home) >= ROLES else list(cores)
    if others and len(others[0]) >= ROLES - 1:
        near = others[0]
    threads = {cpu: _threads(roots, cpu) for cpu in near}
    fewest = [cpu for cpu in near if threads[cpu] == min(threads.values())]
    return tuple(fewest[: max(1, len(near) // CORES_PER_HOUSEKEEPER)])


def _threads(roots: Roots, cpu: int) -> int:
    """How many threads a core has: cores of another kind have another number."""
    siblings = read(cpu_folder(roots) / f"cpu{cpu}/topology/thread_siblings_list")
    return max(1, len(online_cpus(siblings)))


def _node_of_cpu(roots: Roots) -> dict[int, int]:
    folders = (roots.sys / "devices/system/node").glob("node[0-9]*")
    return {
        cpu: int(folder.name.removeprefix("node"))
        for folder in folders
        for cpu in online_cpus(read(folder / "cpulist"))
    }
