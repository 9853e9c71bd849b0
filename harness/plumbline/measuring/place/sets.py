"""Divide the CPUs into a set for each role, and for a duet into two places (`duet_sets`).

Housekeeping (the harness, its samplers, and the kernel's own work) has the first core, since interrupts and
timers land there unless somebody moved them; the application has the last ones. In between, the database lies
nearer to the application than the load does.

    2 cores    housekeeping, db and load share the first, the application has the second
    3 cores    housekeeping and load | db | app
    4 and more the application and the rest by the weights below, the application in one last-level cache
    2 nodes    the application alone on its node; what it does not need there stays idle, because a
               neighbour in the same cache and memory controller would be measured too
    3 and more the application, the load, and housekeeping with the database on a node each

Cores of different kinds (known by their number of SMT siblings): the application has cores of the kind with
the most siblings only, housekeeping one of the other kind.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from plumbline.machine.host.classify import CORES_FOR_FOUR_SETS
from plumbline.model.errors import UsageError
from plumbline.model.host import CpuSets, Topology

# k6 burns 45-66 us of CPU a request, PostgreSQL about as much for the statements of `fruits`, a
# lean application less. At these shares the application is the first to run out, the database and the load
# below 75 %.
APP_WEIGHT = 4
DB_WEIGHT = 5
LOAD_WEIGHT = 6
WEIGHTS = APP_WEIGHT + DB_WEIGHT + LOAD_WEIGHT

# One core of housekeeping serves a host of this many cores.
CORES_PER_HOUSEKEEPER = 16


@dataclass(frozen=True)
class Core:
    """The logical CPUs of one core (those allowed to us), its node and last-level cache."""

    cpus: tuple[int, ...]
    node: int
    cache: int


def cores_of(topology: Topology) -> tuple[Core, ...]:
    """Return the cores with a CPU that we may use, by their lowest CPU number."""
    members: dict[int, list[int]] = {}
    for cpu in topology.cpus:
        members.setdefault(cpu.core, []).append(cpu.number)
    by_number = {cpu.number: cpu for cpu in topology.cpus}
    cores = [
        Core(tuple(sorted(numbers)), by_number[numbers[0]].node, by_number[numbers[0]].cache)
        for numbers in members.values()
    ]
    return tuple(sorted(cores, key=lambda core: core.cpus))


def plan_sets(topology: Topology) -> CpuSets:
    """Set for the four roles, which are disjoint from four cores on; see the module's text.

    A core is never split, but for a host that has only one: of its siblings the application has the last.
    Raises UsageError when there is only one CPU.
    """
    cores = list(cores_of(topology))
    if len(cores) == 1:
        cores = [Core((number,), cores[0].node, cores[0].cache) for number in cores[0].cpus]
    if len(cores) < 2:
        raise UsageError(
            "This process may use only one CPU, and the application needs a CPU that nothing else uses.",
            "Allow it a second CPU.",
        )
    if len(cores) < CORES_FOR_FOUR_SETS:
        return _few(cores)
    home, elsewhere = _nodes(cores)
    return _spread(home, elsewhere) if elsewhere else _together(home)


def _few(cores: Sequence[Core]) -> CpuSets:
    app = _app_cores(cores, 1)
    rest = _without(cores, app)
    return _sets(app=app, db=rest[-1:], load=rest[:1], housekeeping=rest[:1])


def _together(cores: Sequence[Core]) -> CpuSets:
    housekeeping = _housekeepers(cores)
    rest = _without(cores, housekeeping)
    app = _app_cores(rest, _share(len(rest), APP_WEIGHT, WEIGHTS))
    rest = _toward(_without(rest, app), app)
    db = rest[len(rest) - _share(len(rest), DB_WEIGHT, DB_WEIGHT + LOAD_WEIGHT) :]
    return _sets(app=app, db=db, load=_without(rest, db), housekeeping=housekeeping)


def _spread(home: Sequence[Core], elsewhere: Sequence[Sequence[Core]]) -> CpuSets:
    near = list(elsewhere[0])
    housekeeping = _housekeepers(near)
    near = _without(near, housekeeping)
    if len(elsewhere) > 1:
        db, load = near, list(elsewhere[1])
    else:
        db = near[len(near) - _share(len(near), DB_WEIGHT, DB_WEIGHT + LOAD_WEIGHT) :]
        load = _without(near, db)
    wanted = min(len(db) * APP_WEIGHT // DB_WEIGHT, len(load) * APP_WEIGHT // LOAD_WEIGHT)
    app = _app_cores(home, min(len(home), max(1, wanted)))
    return _sets(app=app, db=db, load=load, housekeeping=housekeeping)


def _nodes(cores: Sequence[Core]) -> tuple[list[Core], list[list[Core]]]:
    """Return the application's node, and the others', largest first; none when one node has to do for all."""
    groups: dict[int, list[Core]] = {}
    for core in cores:
        groups.setdefault(core.node, []).append(core)
    by_size = sorted(groups.values(), key=len, reverse=True)
    largest = [group for group in by_size if len(group) == len(by_size[0])]
    home = largest[-1]
    others = [group for group in by_size if group is not home]
    if others and len(others[0]) >= CORES_FOR_FOUR_SETS - 1:
        # A third node is worth having for the load only if it is no smaller than its share of the second
        # would be.
        worth = [group for group in others[1:2] if 2 * len(group) >= len(others[0])]
        return home, [others[0], *worth]
    return (home if len(home) >= CORES_FOR_FOUR_SETS else list(cores)), []


def _housekeepers(cores: Sequence[Core]) -> list[Core]:
    fewest = min(len(core.cpus) for core in cores)
    return [core for core in cores if len(core.cpus) == fewest][: max(1, len(cores) // CORES_PER_HOUSEKEEPER)]


def _app_cores(cores: Sequence[Core], wanted: int) -> list[Core]:
    """Return at most `wanted` cores of the best kind: part of one cache, or several caches as a whole."""
    most = max(len(core.cpus) for core in cores)
    caches: dict[int, list[Core]] = {}
    for core in cores:
        if len(core.cpus) == most:
            caches.setdefault(core.cache, []).append(core)
    # The last of several equal caches comes first.
    by_size = sorted(caches.values(), key=lambda cache: (len(cache), cache[0].cpus), reverse=True)
    chosen = by_size[0][-wanted:]
    for cache in by_size[1:]:
        if len(chosen) + len(cache) <= wanted:
            chosen = cache + chosen
    return sorted(chosen, key=lambda core: core.cpus)


def _toward(cores: Iterable[Core], app: Sequence[Core]) -> list[Core]:
    """Return the cores by distance from the application, the farthest first."""
    caches = {core.cache for core in app}
    return sorted(cores, key=lambda core: (core.cache in caches, core.cpus))


def _share(cores: int, weight: int, of: int) -> int:
    """Return that share of the cores, rounded to the nearest number, at least one."""
    return max(1, (2 * cores * weight + of) // (2 * of))


def _without(cores: Iterable[Core], taken: Sequence[Core]) -> list[Core]:
    return [core for core in cores if core not in taken]


def _sets(**roles: Sequence[Core]) -> CpuSets:
    return CpuSets(**{role: _cpus(cores) for role, cores in roles.items()})


def duet_sets(topology: Topology) -> tuple[CpuSets, CpuSets]:
    """Return two places alike, on which both sides of a comparison run at once, and swap in each pair.

        2 cores    each place has one; the harness runs on both
        3 cores    the harness has the first, each place one of the others
        4 and more the harness has the first, each place half of the rest, an odd one stays idle

    A place of one CPU holds application, database and load together: what one side costs then never slows the other
    down. With more the application has the upper half of the place to itself. Raises UsageError when there is only one
    CPU.
    """
    cores = list(cores_of(topology))
    if len(cores) == 1:
        cores = [Core((number,), cores[0].node, cores[0].cache) for number in cores[0].cpus]
    if len(cores) < 2:
        raise UsageError(
            "This process may use only one CPU, and the two sides of a duet need one each.",
            "Allow it a second CPU.",
        )
    rest = cores if len(cores) == 2 else cores[1:]
    housekeeping = _cpus(cores if len(cores) == 2 else cores[:1])
    half = len(rest) // 2
    return _place(_cpus(rest[:half]), housekeeping), _place(_cpus(rest[half : 2 * half]), housekeeping)


def _cpus(cores: Sequence[Core]) -> tuple[int, ...]:
    return tuple(sorted(cpu for core in cores for cpu in core.cpus))


def _place(cpus: tuple[int, ...], housekeeping: tuple[int, ...]) -> CpuSets:
    half = len(cpus) // 2
    others = cpus[:half] or cpus
    return CpuSets(app=cpus[half:], db=others, load=others, housekeeping=housekeeping)
