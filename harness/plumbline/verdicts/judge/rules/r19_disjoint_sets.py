"""R19: the roles have no CPU and no core in common, and every thread stays on the CPUs of its role all the time.

On one host the sets are those of the plan. In a cluster the kubelet of each node gives CPUs to containers, and
their control groups say which.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations

from plumbline.model.evidence import Cpuset, Series, Window
from plumbline.model.host import ROLES, Cpu, CpuSets, Role, Topology
from plumbline.verdicts.figures.series import increase, known_rows, total_increase
from plumbline.verdicts.figures.shares import own_columns
from ..cpu import uncounted_us
from ..facts import LOADED, SessionFacts, TrialFacts
from ..rule import Check, PhaseChecks, Rule, broken, in_windows, passed, unknown
from ..wording import ROLE_NAMES, counted, listed, percent

# The scheduler's count is exact, and a process enters its set before its program begins. Where threads are only looked
# at, a thousandth may be misjudged. Half a second elsewhere, in a minute of one busy CPU, is eight times as much.
OUTSIDE_MAX = 0.001

_NO_TOPOLOGY = "The topology of the host's CPUs is not recorded."

# A CPU and its machine: all nodes of a cluster number their CPUs alike.
_Place = tuple[str, Cpu]
_HERE = ""


def judge(trial: TrialFacts, session: SessionFacts) -> Iterable[PhaseChecks]:
    """The CPUs of the roles by their topology, the threads as seen once, and where CPU time was spent."""
    # Sets are what the host allows, so their checks are of isolation. Threads are ours to place, so their checks are
    # of correctness.
    if session.plan.network == "cluster":
        set_checks = _overlaps_in_cluster(trial)
    elif trial.planned.sets is not None and trial.planned.proof is None:
        set_checks = _overlaps_of_duet(session)
    else:
        set_checks = _overlaps_of_sets(session.sets_of(trial), session.host.topology)
    yield (
        None,
        [
            *_threads(trial),
            *_contradictions(trial, session),
            *(replace(check, kind="isolation") for check in set_checks),
        ],
    )
    yield from in_windows(trial, lambda facts, window: _cpu_time_outside(trial, window), LOADED)


def _overlaps_of_duet(session: SessionFacts) -> Iterable[Check]:
    """Yield the checks of a duet's places: the roles of a side may share CPUs by design, the two sides must not."""
    places = {planned.sets for planned in session.plan.trials if planned.role == "measured" and planned.sets}
    sides = [{*place.app, *place.db, *place.load} for place in places]
    if len(sides) != 2:
        yield broken(
            f"A duet has two places, and the plan has {len(sides)}.",
            len(sides),
            "places",
            2,
        )
    elif sides[0] & sides[1]:
        yield broken("The two sides of the duet share CPUs.")
    cores = {cpu.number: cpu.core for cpu in session.host.topology.cpus}
    if any(cpu not in cores for side in sides for cpu in side):
        yield unknown(_NO_TOPOLOGY)
    elif len(sides) == 2 and {cores[cpu] for cpu in sides[0]} & {cores[cpu] for cpu in sides[1]}:
        yield broken("The two sides of the duet share cores by their SMT siblings.")
    yield passed("The two sides of the duet have no CPU and no core in common.")


def _overlaps_of_sets(sets: CpuSets, topology: Topology) -> Iterable[Check]:
    cpus = {cpu.number: cpu for cpu in topology.cpus}
    if any(number not in cpus for role in ROLES for number in sets.of(role)):
        yield unknown(_NO_TOPOLOGY)
        return
    yield from _overlaps({role: [(_HERE, cpus[number]) for number in sets.of(role)] for role in ROLES})
    yield passed("The sets have no CPU and no core in common.")


def _overlaps_in_cluster(trial: TrialFacts) -> Iterable[Check]:
    """Yield the checks of the CPUs that the containers had in each phase."""
    phases = [facts.phase.name for facts in trial.phases(LOADED)]
    if not phases:
        yield unknown("Without a phase of load nobody read which CPUs the roles had.")
    for phase in phases:
        places: dict[Role, list[_Place]] = {}
        for role in trial.roles:
            cpusets = [(node, cpuset) for node, cpuset in _cpusets(trial) if cpuset.role == role]
            in_phase = [(node, cpuset) for node, cpuset in cpusets if cpuset.phase == phase]
            # Each phase has generators of its own; the other roles have the same containers throughout.
            changed_nodes = _nodes_with_changes(in_phase if role == "load" else cpusets)
            if not in_phase:
                yield unknown(f"Which CPUs the {ROLE_NAMES[role]} had in the phase {phase} was not read.")
            elif changed_nodes:
                change = f"on {listed(changed_nodes)} changed while it ran"
                yield unknown(f"The CPUs of the {ROLE_NAMES[role]} {change}: who shared them is not known.")
            else:
                places[role] = [(node, cpu) for node, cpuset in in_phase for cpu in cpuset.cpus]
        yield from _overlaps(places)
    yield passed("The roles had no CPU and no core in common.")


def _cpusets(trial: TrialFacts) -> Iterable[tuple[str, Cpuset]]:
    return ((node, cpuset) for node, cpusets in trial.evidence.cpusets.items() for cpuset in cpusets)


def _nodes_with_changes(cpusets: Iterable[tuple[str, Cpuset]]) -> list[str]:
    """Return the nodes on which the cpusets are not all the same."""
    distinct = {(node, cpuset.cpus) for node, cpuset in cpusets}
    return sorted(node for node, count in Counter(node for node, _ in distinct).items() if count > 1)


def _overlaps(places: Mapping[Role, Sequence[_Place]]) -> Iterable[Check]:
    """Yield the checks of what roles with CPUs at the same time have in common, and of roles on several NUMA nodes."""
    for first, second in combinations(places, 2):
        if _cpus(places[first]) & _cpus(places[second]):
            yield broken(f"{_names(first, second).capitalize()} share CPUs.")
        elif _cores(places[first]) & _cores(places[second]):
            yield broken(f"{_names(first, second).capitalize()} share cores by their SMT siblings.")
    for role, role_places in places.items():
        for machine in sorted({machine for machine, _ in role_places}):
            nodes = {cpu.node for place_machine, cpu in role_places if place_machine == machine}
            if len(nodes) > 1:
                reading = f"The CPUs of the {ROLE_NAMES[role]} lie on {len(nodes)} NUMA nodes."
                yield broken(reading, len(nodes), "nodes", 1)


def _cpus(places: Iterable[_Place]) -> set[tuple[str, int]]:
    return {(machine, cpu.number) for machine, cpu in places}


def _cores(places: Iterable[_Place]) -> set[tuple[str, int]]:
    return {(machine, cpu.core) for machine, cpu in places}


def _names(first: Role, second: Role) -> str:
    return listed([ROLE_NAMES[first], ROLE_NAMES[second]])


def _threads(trial: TrialFacts) -> Iterable[Check]:
    rows = trial.evidence.affinity
    missing = sorted(set(trial.roles) - {row.role for row in rows})
    if missing:
        yield unknown(f"Where the threads of {listed(ROLE_NAMES[role] for role in missing)} ran was not read.")
    for row in rows:
        if row.preferred:
            reading = f"{counted(row.preferred, 'thread')} of {row.command} ({ROLE_NAMES[row.role]})"
            verb = "runs" if row.preferred == 1 else "run"
            yield broken(f"{reading} {verb} at another priority than the harness.", row.preferred, "threads", 0)
        if row.outside > 0:
            # Only the application's set is a promise on every host; other roles may share their sets.
            whose = f"{row.command} ({ROLE_NAMES[row.role]})"
            reading = f"{counted(row.outside, 'thread')} of {whose} may run outside its set."
            check = broken(reading, row.outside, "threads", 0)
            yield check if row.role == "app" else replace(check, kind="isolation")


def _contradictions(trial: TrialFacts, session: SessionFacts) -> Iterable[Check]:
    """Yield the check that processes without a thread outside their set may run nowhere else either."""
    if session.plan.network == "cluster":
        return
    sets = session.sets_of(trial)
    for row in trial.evidence.affinity:
        role: Role = "housekeeping" if row.role == "harness" else row.role
        if row.outside == 0 and (others := sorted(set(row.allowed) - set(sets.of(role)))):
            whose = f"{row.command} ({ROLE_NAMES[role]})"
            yield broken(f"No thread of {whose} is outside its set, and yet they may run on CPU {others[0]}.")


def _cpu_time_outside(trial: TrialFacts, window: Window) -> list[Check]:
    """Return the checks of CPU time: of each role on CPUs that are not its own, and of the application at another
    priority, over all CPU time of the role in the window.
    """
    series = trial.evidence.series
    checks = [*_priority(series, window)]
    if (missing_us := uncounted_us(trial.evidence, window)) is not None:
        reading = f"The application left its control group, which missed {missing_us / 1e6:.2f} s of its CPU time"
        checks.append(broken(f"{reading}: nothing holds it there.", missing_us / 1e6, "s", 0))
    for role in trial.roles:
        outside_us = increase(series, f"cpu.{role}.outside_us", window)
        used_us = total_increase(series, own_columns(role), window)
        if outside_us is None or used_us is None:
            # Version 2 of control groups does not count each CPU, and only the application's threads are examined.
            if role == "app" or known_rows(series, f"cpu.{role}.outside_us"):
                checks.append(unknown(f"On which CPUs the {ROLE_NAMES[role]}'s threads ran was not read."))
            continue
        outside = outside_us / used_us if used_us > 0 else 0.0
        reading = f"The {ROLE_NAMES[role]} spent {percent(outside)} of its CPU time outside its set"
        if outside <= OUTSIDE_MAX:
            checks.append(passed(f"{reading}.", outside, "share", OUTSIDE_MAX))
            continue
        check = broken(f"{reading}: {outside_us / 1e6:.2f} s.", outside, "share", OUTSIDE_MAX)
        checks.append(check if role == "app" else replace(check, kind="isolation"))
    return checks


def _priority(series: Series, window: Window) -> Iterable[Check]:
    """Yield the check of the application's priority all the time: the single look at its threads may miss a change."""
    other_us = increase(series, "cpu.app.preferred_us", window)
    used_us = total_increase(series, own_columns("app"), window)
    if other_us is None or used_us is None:
        yield unknown("At which priority the application's threads ran was not read throughout the phase.")
        return
    share = other_us / used_us if used_us > 0 else 0.0
    if share > OUTSIDE_MAX:
        reading = f"The application spent {percent(share)} of its CPU time at another priority than the harness"
        yield broken(f"{reading}: {other_us / 1e6:.2f} s.", share, "share", OUTSIDE_MAX)


RULE = Rule(
    id="R19",
    title="Sets are disjoint, threads stay inside",
    source="/proc/PID/task/*/status and stat, CPU time by CPU, and the topology; cpusets in a cluster",
    mistake="load generator and application on the same cores (study 002)",
    kind="correctness",
    needs=("affinity", "windows", "series:cpu.app.outside_us", "series:cpu.app.preferred_us"),
    judge=judge,
)
