"""Divide the CPUs into a set for each role, and for a duet into two places (`duet_sets`).

Housekeeping (the harness, its samplers, and the kernel's own work) has the first core, since interrupts and
timers land there unless somebody moved them; the application has the last ones. In between, the database lies
nearer to the application than the load does.

    2 cores    housekeeping, db and load share the first, the application has the second
    3 cores    housekeeping and load | db | app
    4 and more the application and the rest by the weights below, the application in one last-level cache
    2 nodes    the application alone on its node; cores that it does not need there stay idle, because
               a neighbour in the same cache and memory controller would be measured too
    3 and more the application, the load, and housekeeping with the database on a node each

Cores of different kinds (told apart by what the kernel says of them, then by their number of SMT siblings): the
application has cores of the strongest kind only, of these the kind with the most siblings; housekeeping has one of the
weakest.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

from plumbline.machine.host.classify import CORES_FOR_FOUR_SETS
from plumbline.model.errors import UsageError
from plumbline.model.host import Cpu, CpuSets, Topology

# k6 burns 45-66 us of CPU a request, PostgreSQL about as much for the statements of `fruits`, a
# lean application less. With these weights the application runs out of CPU first, while the database and the load
# stay below 75 %.
APP_WEIGHT = 4
DB_WEIGHT = 5
LOAD_WEIGHT = 6
WEIGHTS = APP_WEIGHT + DB_WEIGHT + LOAD_WEIGHT

# One core of housekeeping serves a host of this many cores.
CORES_PER_HOUSEKEEPER = 16


@dataclass(frozen=True)
class Core:
    """The logical CPUs of one core (those allowed to us), its node and last-level cache, and if it is a weak core."""

    cpus: tuple[int, ...]
    node: int
    cache: int
    weak: bool = False

    @property
    def kind(self) -> tuple[bool, int]:
        """The kind of the core: weaker kinds come first."""
        return not self.weak, len(self.cpus)


def cores_of(topology: Topology) -> tuple[Core, ...]:
    """Return the cores with a CPU that we may use, sorted by their lowest CPU number."""
    members: dict[int, list[Cpu]] = {}
    for cpu in topology.cpus:
        members.setdefault(cpu.core, []).append(cpu)
    cores = [
        Core(tuple(sorted(cpu.number for cpu in cpus)), cpus[0].node, cpus[0].cache, cpus[0].weak)
        for cpus in members.values()
    ]
    return tuple(sorted(cores, key=lambda core: core.cpus))


def _cores_to_divide(topology: Topology, need: str) -> list[Core]:
    """Return the cores, or the CPUs of an only core as cores of their own. Raises UsageError for a single CPU."""
    cores = list(cores_of(topology))
    if len(cores) == 1:
        cores = [Core((number,), cores[0].node, cores[0].cache) for number in cores[0].cpus]
    if len(cores) < 2:
        raise UsageError(f"This process may use only one CPU, and {need}.", "Allow it a second CPU.")
    return cores


def plan_sets(topology: Topology) -> CpuSets:
    """Return the sets of the four roles, which are disjoint from four cores on; see the module's text.

    A core is never split, except on a host with only one core: there the application has the last sibling.
    Raises UsageError when there is only one CPU.
    """
    cores = _cores_to_divide(topology, "the application needs a CPU that nothing else uses")
    if len(cores) < CORES_FOR_FOUR_SETS:
        return _sets_on_few_cores(cores)
    app_node, other_nodes = _choose_nodes(cores)
    return _sets_on_several_nodes(app_node, other_nodes) if other_nodes else _sets_on_one_node(app_node)


def _sets_on_few_cores(cores: Sequence[Core]) -> CpuSets:
    app = _app_cores(cores, 1)
    remaining = _without(cores, app)
    return _sets(app=app, db=remaining[-1:], load=remaining[:1], housekeeping=remaining[:1])


def _sets_on_one_node(cores: Sequence[Core]) -> CpuSets:
    housekeeping = _housekeepers(cores)
    remaining = _without(cores, housekeeping)
    app = _app_cores(remaining, _share(len(remaining), APP_WEIGHT, WEIGHTS))
    remaining = _farthest_first(_without(remaining, app), app)
    db = remaining[len(remaining) - _share(len(remaining), DB_WEIGHT, DB_WEIGHT + LOAD_WEIGHT) :]
    return _sets(app=app, db=db, load=_without(remaining, db), housekeeping=housekeeping)


def _sets_on_several_nodes(app_node: Sequence[Core], other_nodes: Sequence[Sequence[Core]]) -> CpuSets:
    db_node = list(other_nodes[0])
    housekeeping = _housekeepers(db_node)
    db_node = _without(db_node, housekeeping)
    if len(other_nodes) > 1:
        db, load = db_node, list(other_nodes[1])
    else:
        db = db_node[len(db_node) - _share(len(db_node), DB_WEIGHT, DB_WEIGHT + LOAD_WEIGHT) :]
        load = _without(db_node, db)
    app_count = min(len(db) * APP_WEIGHT // DB_WEIGHT, len(load) * APP_WEIGHT // LOAD_WEIGHT)
    app = _app_cores(app_node, min(len(app_node), max(1, app_count)))
    return _sets(app=app, db=db, load=load, housekeeping=housekeeping)


def _choose_nodes(cores: Sequence[Core]) -> tuple[list[Core], list[list[Core]]]:
    """Return the application's node, and the other roles' nodes, largest first; no other node when one serves all."""
    nodes: dict[int, list[Core]] = {}
    for core in cores:
        nodes.setdefault(core.node, []).append(core)
    by_size = sorted(nodes.values(), key=len, reverse=True)
    largest_nodes = [node for node in by_size if len(node) == len(by_size[0])]
    app_node = largest_nodes[-1]
    other_nodes = [node for node in by_size if node is not app_node]
    if other_nodes and len(other_nodes[0]) >= CORES_FOR_FOUR_SETS - 1:
        # A third node is worth having for the load only if it is no smaller than the load's share of the
        # second node would be.
        third_node = [node for node in other_nodes[1:2] if 2 * len(node) >= len(other_nodes[0])]
        return app_node, [other_nodes[0], *third_node]
    return (app_node if len(app_node) >= CORES_FOR_FOUR_SETS else list(cores)), []


def _housekeepers(cores: Sequence[Core]) -> list[Core]:
    weakest = min(core.kind for core in cores)
    return [core for core in cores if core.kind == weakest][: max(1, len(cores) // CORES_PER_HOUSEKEEPER)]


def _app_cores(cores: Sequence[Core], count: int) -> list[Core]:
    """Return at most `count` cores of the best kind: part of one cache, or several caches as a whole."""
    strongest = max(core.kind for core in cores)
    caches: dict[int, list[Core]] = {}
    for core in cores:
        if core.kind == strongest:
            caches.setdefault(core.cache, []).append(core)
    # The last of several equal caches comes first.
    by_size = sorted(caches.values(), key=lambda cache: (len(cache), cache[0].cpus), reverse=True)
    chosen = by_size[0][-count:]
    for cache in by_size[1:]:
        if len(chosen) + len(cache) <= count:
            chosen = cache + chosen
    return sorted(chosen, key=lambda core: core.cpus)


def _farthest_first(cores: Iterable[Core], app: Sequence[Core]) -> list[Core]:
    """Return the cores by distance from the application, the farthest first."""
    caches = {core.cache for core in app}
    return sorted(cores, key=lambda core: (core.cache in caches, core.cpus))


def _share(cores: int, weight: int, total_weight: int) -> int:
    """Return `weight` of `total_weight` parts of the cores, rounded to the nearest number, at least one core."""
    return max(1, (2 * cores * weight + total_weight) // (2 * total_weight))


def _without(cores: Iterable[Core], taken: Sequence[Core]) -> list[Core]:
    return [core for core in cores if core not in taken]


def _sets(**roles: Sequence[Core]) -> CpuSets:
    return CpuSets(**{role: _cpus(cores) for role, cores in roles.items()})


def duet_sets(topology: Topology) -> tuple[CpuSets, CpuSets]:
    """Return two places alike, on which both sides of a comparison run at once, and swap in each pair.

        2 cores    each place has one core; the harness runs on both
        3 and more the harness has the cores of housekeeping, each place half of the others; an odd core stays idle

    Where there are cores of several kinds, each place has half of each kind; only if no kind has two cores, the places
    differ. A place of one CPU holds application, database and load together: what one side costs then never slows the
    other down. In a place of several cores the application has the upper half of them to itself, in a place of one core
    half of the core's CPUs. Raises UsageError when there is only one CPU.
    """
    cores = _cores_to_divide(topology, "the two sides of a duet need one each")
    if len(cores) == 2:
        housekeeping, sides = _cpus(cores), cores
    else:
        # Those of a usual session: `bench-host` moves interrupts there, which would make the places differ.
        housekeeping = plan_sets(topology).housekeeping
        sides = [core for core in cores if core.cpus[0] not in housekeeping]
    first, second = _halves(sides)
    return _place(first, housekeeping), _place(second, housekeeping)


def _halves(cores: Sequence[Core]) -> tuple[list[Core], list[Core]]:
    """Return two halves of the cores, each with as many cores of each kind; the strongest cores come last."""
    kinds = [[core for core in cores if core.kind == kind] for kind in sorted({core.kind for core in cores})]
    if all(len(kind) < 2 for kind in kinds):
        kinds = [list(cores)]
    first = [core for kind in kinds for core in kind[: len(kind) // 2]]
    second = [core for kind in kinds for core in kind[len(kind) // 2 : len(kind) // 2 * 2]]
    return first, second


def _cpus(cores: Sequence[Core]) -> tuple[int, ...]:
    return tuple(sorted(cpu for core in cores for cpu in core.cpus))


def _place(cores: Sequence[Core], housekeeping: tuple[int, ...]) -> CpuSets:
    parts = [_cpus([core]) for core in cores] if len(cores) > 1 else [(cpu,) for cpu in _cpus(cores)]
    half = len(parts) // 2
    db_and_load = tuple(sorted(chain(*(parts[:half] or parts))))
    return CpuSets(app=tuple(sorted(chain(*parts[half:]))), db=db_and_load, load=db_and_load, housekeeping=housekeeping)
