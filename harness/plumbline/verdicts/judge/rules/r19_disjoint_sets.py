"""R19: the roles have no CPU and no core in common, and every thread stays on the CPUs of its role all the time.

On one host the sets are those of the plan. In a cluster the kubelet of each node gives CPUs away, and the control
groups of the containers say which.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations

from plumbline.model.evidence import Cpuset, Series, Window
from plumbline.model.host import ROLES, Cpu, CpuSets, Role, Topology
from plumbline.verdicts.figures.series import increase, total_increase
from plumbline.verdicts.figures.shares import own_columns
from ..cpu import uncounted_us
from ..facts import LOADED, SessionFacts, TrialFacts
from ..rule import Check, Rule, Said, broken, in_windows, passed, unknown
from ..wording import ROLE_NAMES, counted, listed, percent

# The scheduler's count is exact, and a process enters its set before its program begins. Where threads are only looked
# at, a thousandth may be misjudged. Half a second elsewhere, in a minute of one busy CPU, is eight times as much.
OUTSIDE_MAX = 0.001

# A CPU of a machine: nodes of a cluster number theirs alike.
_Place = tuple[str, Cpu]
_HERE = ""


def judge(trial: TrialFacts, session: SessionFacts) -> Iterable[Said]:
    """The CPUs of the roles by their topology, the threads as seen once, and where CPU time was spent."""
    # Sets are what the host allows, threads are ours to place: the one is isolation, the other is right or
    # wrong.
    if session.plan.network == "cluster":
        found = _of_cluster(trial)
    elif trial.planned.sets is not None and trial.planned.proof is None:
        found = _places(session)
    else:
        found = _sets(session.sets_of(trial), session.host.topology)
    yield None, [*_threads(trial), *(replace(check, kind="isolation") for check in found)]
    yield from in_windows(trial, lambda facts, window: _whereabouts(trial, window), LOADED)


def _places(session: SessionFacts) -> Iterable[Check]:
    """Yield the checks of a duet's places: the roles of a side may share its CPUs by design, the two sides must not."""
    places = {planned.sets for planned in session.plan.trials if planned.role == "measured" and planned.sets}
    ours = [{*one.app, *one.db, *one.load} for one in places]
    if len(ours) != 2:
        yield broken(f"A duet has two places, and the plan has {len(ours)}.", len(ours), "places", 2)
    elif ours[0] & ours[1]:
        yield broken("The two sides of the duet share CPUs.")
    cores = {cpu.number: cpu.core for cpu in session.host.topology.cpus}
    if len(ours) == 2 and {cores.get(one) for one in ours[0]} & {cores.get(one) for one in ours[1]}:
        yield broken("The two sides of the duet share cores by their SMT siblings.")
    yield passed("The two sides of the duet have no CPU and no core in common.")


def _sets(sets: CpuSets, topology: Topology) -> Iterable[Check]:
    cpus = {cpu.number: cpu for cpu in topology.cpus}
    if any(number not in cpus for role in ROLES for number in sets.of(role)):
        yield unknown("The topology of the host's CPUs is not recorded.")
        return
    yield from _apart({role: [(_HERE, cpus[number]) for number in sets.of(role)] for role in ROLES})
    yield passed("The sets have no CPU and no core in common.")


def _of_cluster(trial: TrialFacts) -> Iterable[Check]:
    """Yield the checks of the CPUs that the containers had in each phase."""
    phases = [facts.phase.name for facts in trial.phases(LOADED)]
    if not phases:
        yield unknown("Without a phase of load nobody read which CPUs the roles had.")
    for phase in phases:
        held: dict[Role, list[_Place]] = {}
        for role in trial.roles:
            its = [(node, one) for node, one in _cpusets(trial) if one.role == role]
            now = [(node, one) for node, one in its if one.phase == phase]
            # Each phase has generators of its own; all others are the same containers throughout.
            moved = _moved(now if role == "load" else its)
            if not now:
                yield unknown(f"Which CPUs the {ROLE_NAMES[role]} had in the phase {phase} was not read.")
            elif moved:
                where = f"on {listed(moved)} changed while it ran"
                yield unknown(f"The CPUs of the {ROLE_NAMES[role]} {where}: who shared them is not known.")
            else:
                held[role] = [(node, cpu) for node, one in now for cpu in one.cpus]
        yield from _apart(held)
    yield passed("The roles had no CPU and no core in common.")


def _cpusets(trial: TrialFacts) -> Iterable[tuple[str, Cpuset]]:
    return ((node, one) for node, its in trial.evidence.cpusets.items() for one in its)


def _moved(cpusets: Iterable[tuple[str, Cpuset]]) -> list[str]:
    """Return the nodes on which these are not all the same CPUs."""
    distinct = {(node, one.cpus) for node, one in cpusets}
    return sorted(node for node, count in Counter(node for node, _ in distinct).items() if count > 1)


def _apart(places: Mapping[Role, Sequence[_Place]]) -> Iterable[Check]:
    """Yield what roles have in common that have these CPUs at the same time, and who lies on several NUMA nodes."""
    for one, other in combinations(places, 2):
        if _cpus(places[one]) & _cpus(places[other]):
            yield broken(f"{_names(one, other).capitalize()} share CPUs.")
        elif _cores(places[one]) & _cores(places[other]):
            yield broken(f"{_names(one, other).capitalize()} share cores by their SMT siblings.")
    for role, its in places.items():
        for machine in sorted({machine for machine, _ in its}):
            nodes = {cpu.node for where, cpu in its if where == machine}
            if len(nodes) > 1:
                reading = f"The CPUs of the {ROLE_NAMES[role]} lie on {len(nodes)} NUMA nodes."
                yield broken(reading, len(nodes), "nodes", 1)


def _cpus(places: Iterable[_Place]) -> set[tuple[str, int]]:
    return {(machine, cpu.number) for machine, cpu in places}


def _cores(places: Iterable[_Place]) -> set[tuple[str, int]]:
    return {(machine, cpu.core) for machine, cpu in places}


def _names(one: Role, other: Role) -> str:
    return listed([ROLE_NAMES[one], ROLE_NAMES[other]])


def _threads(trial: TrialFacts) -> Iterable[Check]:
    rows = trial.evidence.affinity
    missing = sorted(set(trial.roles) - {row.role for row in rows})
    if missing:
        yield unknown(
            f"Where the threads of {listed(ROLE_NAMES[role] for role in missing)} ran was not read."
        )
    for row in rows:
        if row.preferred:
            reading = f"{counted(row.preferred, 'thread')} of {row.command} ({ROLE_NAMES[row.role]})"
            verb = "runs" if row.preferred == 1 else "run"
            yield broken(
                f"{reading} {verb} at another priority than the harness.", row.preferred, "threads", 0
            )
        if row.outside > 0:
            # Only the application's set is a promise on every host; other roles may share theirs.
            whose = f"{row.command} ({ROLE_NAMES[row.role]})"
            reading = f"{counted(row.outside, 'thread')} of {whose} may run outside its set."
            check = broken(reading, row.outside, "threads", 0)
            yield check if row.role == "app" else replace(check, kind="isolation")


def _whereabouts(trial: TrialFacts, window: Window) -> list[Check]:
    """CPU time of each role on CPUs that are not its own, and of the application at another priority, over all CPU
    time of the role in the window.
    """
    series = trial.evidence.series
    checks = [*_priority(series, window)]
    if (missing_us := uncounted_us(trial.evidence, window)) is not None:
        reading = (
            f"The application left its control group, which missed {missing_us / 1e6:.2f} s of its CPU time"
        )
        checks.append(broken(f"{reading}: nothing holds it there.", missing_us / 1e6, "s", 0))
    for role in trial.roles:
        outside_us = increase(series, f"cpu.{role}.outside_us", window)
        used_us = total_increase(series, own_columns(role), window)
        if outside_us is None or used_us is None:
            # Version 2 of control groups counts no CPU apart, and only the application's threads are looked at.
            if role == "app":
                checks.append(unknown("On which CPUs the application's threads ran was not read."))
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
    """Yield the check of the application's priority all the time: the one look at its threads may fall beside it."""
    other_us = increase(series, "cpu.app.preferred_us", window)
    used_us = total_increase(series, own_columns("app"), window)
    if other_us is None or used_us is None:
        yield unknown("At which priority the application's threads ran was not read throughout the phase.")
        return
    share = other_us / used_us if used_us > 0 else 0.0
    if share > OUTSIDE_MAX:
        reading = (
            f"The application spent {percent(share)} of its CPU time at another priority than the harness"
        )
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
