"""The CPUs that do the housekeeping: the harness, its samplers, interrupts and the kernel's own work.

The harness plans the same CPUs for this role (in `harness/plumbline/measuring/place/sets.py`; a test compares both). An
install without the harness has to know them as well.
"""

from __future__ import annotations

from dataclasses import replace

from .face import Roots
from .files import cpu_folder, first_threads, online_cpus, read

# Application, database, load and housekeeping.
ROLES = 4
CORES_PER_HOUSEKEEPER = 16


def planned(roots: Roots) -> Roots:
    """Return the roots with the CPUs of housekeeping, and all other CPUs as `app_cpus`.

    Only the first thread of each core is counted, as it is once SMT is off. With fewer than two cores both sets stay
    empty.
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
    node_of_cpu = _node_of_cpu(roots)
    for cpu in cores:
        nodes.setdefault(node_of_cpu.get(cpu, 0), []).append(cpu)
    by_size = sorted(nodes.values(), key=len, reverse=True)
    home = [node for node in by_size if len(node) == len(by_size[0])][-1]
    other_nodes = [node for node in by_size if node is not home]
    candidates = home if len(home) >= ROLES else list(cores)
    if other_nodes and len(other_nodes[0]) >= ROLES - 1:
        candidates = other_nodes[0]
    weak = _weak_cpus(roots)
    kinds = {cpu: (cpu not in weak, _threads(roots, cpu)) for cpu in candidates}
    weakest = [cpu for cpu in candidates if kinds[cpu] == min(kinds.values())]
    return tuple(weakest[: max(1, len(candidates) // CORES_PER_HOUSEKEEPER)])


def _threads(roots: Roots, cpu: int) -> int:
    """Return how many threads a core has: cores of another kind have another number."""
    siblings = read(cpu_folder(roots) / f"cpu{cpu}/topology/thread_siblings_list")
    return max(1, len(online_cpus(siblings)))


def _weak_cpus(roots: Roots) -> set[int]:
    """Return the CPUs of weaker cores, as the harness does (`_weak_cpus` in its machine/host/kernel.py)."""
    devices = roots.sys / "devices"
    if (devices / "cpu_core").is_dir():
        return {cpu for kind in ("cpu_atom", "cpu_lowpower") for cpu in online_cpus(read(devices / kind / "cpus"))}
    files = cpu_folder(roots).glob("cpu[0-9]*/cpu_capacity")
    capacities = {int(file.parent.name.removeprefix("cpu")): int(read(file) or 0) for file in files}
    strongest = max(capacities.values(), default=0)
    return {cpu for cpu, capacity in capacities.items() if capacity < 0.75 * strongest}


def _node_of_cpu(roots: Roots) -> dict[int, int]:
    folders = (roots.sys / "devices/system/node").glob("node[0-9]*")
    return {
        cpu: int(folder.name.removeprefix("node"))
        for folder in folders
        for cpu in online_cpus(read(folder / "cpulist"))
    }
