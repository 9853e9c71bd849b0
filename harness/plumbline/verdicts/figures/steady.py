"""Compute how a trial warmed up: the seconds of load until its rate was steady, and until its rate had nearly reached
its peak.

The series is the rate of each second under load, warm-up and closed phase together. Pauses between the cycles of a
warm-up are left out, and so are seconds with load in only a part of them.

A warm-up until steady that ended before its cap was over: the harness saw that. At the cap the same question is asked
again, from the rows that the record keeps; a long trial keeps only some rows of the compiler (record/trim.py).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import pairwise, takewhile
from typing import NamedTuple

from plumbline.model.evidence import Evidence, Series, Window
from plumbline.model.plan import Phase, Scenario
from plumbline.verdicts.stats.drift import LAB_LIMIT, gain_of
from plumbline.verdicts.stats.steady import steadiness
from .series import MAX_GAP_S, growth, known_rows
from .shares import Stretch, may_be_disturbed
from .view import FigureValues, PhaseView, view_of

Loads = tuple[Stretch, ...]


class Second(NamedTuple):
    """A second under load: how many seconds of load came before it, its requests per second, and what each of them cost
    the application in microseconds of CPU time.
    """

    at_s: float
    rate: float
    cost: float | None


_CPU = ("cpu.app.user_us", "cpu.app.system_us")


def steady(view: PhaseView) -> FigureValues:
    """Return the figures of a closed phase.

    steady_from_s is absent where the phase is not proven steady, and where a neighbour disturbed its warm-up, or may
    have. All subjects have the tolerance of the class of host: with its own bound, a noisier one would seem the sooner
    steady.
    """
    if view.phase.kind != "closed":
        return {}
    warm_ups = warm_ups_before(view.phase, view.scenario)
    seconds = loaded_seconds(view.phase, warm_ups, view.evidence)
    if seconds is None:
        return {}
    proven = view.steady_within is not None and not _may_be_disturbed(view, _loads(warm_ups, view.evidence))
    steady_part = steadiness([second.rate for second in seconds], view.steady_within or LAB_LIMIT)
    return {
        "steady_from_s": _load_before(seconds, steady_part.from_s) if proven else None,
        "time_to_95_share_of_peak_s": _load_before(seconds, steady_part.arrived_s),
    }


def _load_before(seconds: Sequence[Second], index: int | None) -> float | None:
    return None if index is None else seconds[index].at_s


def warm_ups_before(phase: Phase, scenario: Scenario) -> tuple[Phase, ...]:
    """Return the warm-up phases that come before a phase."""
    before = scenario.phases[: scenario.phases.index(phase)]
    return tuple(earlier_phase for earlier_phase in before if earlier_phase.kind == "warm-up")


def loaded_seconds(closed: Phase, warm_ups: tuple[Phase, ...], evidence: Evidence) -> list[Second] | None:
    """Return the seconds of load of warm-ups and closed phase; None if a window is missing or the count has holes."""
    if all(window.phase != closed.name for window in evidence.windows):
        return None
    seconds: list[Second] = []
    before_s = 0.0
    for start_s, end_s in _loads((*warm_ups, closed), evidence):
        rows = seconds_of(evidence.series, start_s, end_s, before_s)
        if rows is None:
            return None
        seconds += rows
        before_s += end_s - start_s
    return seconds


def _loads(phases: Iterable[Phase], evidence: Evidence) -> Loads:
    """Return the stretches of load of some phases, in their order."""
    windows = {window.phase: window for window in evidence.windows}
    return tuple(load for phase in phases for load in stretches(phase, windows.get(phase.name)))


def _may_be_disturbed(view: PhaseView, loads: Loads) -> bool:
    return may_be_disturbed(view.series, view.sets, view.scenario.roles, loads)


def stretches(phase: Phase, window: Window | None) -> list[tuple[float, float]]:
    """Return the stretches of load of a phase, as (from, to): cycles without their pauses; none without a window."""
    if window is None:
        return []
    if window.cycles:
        return list(window.cycles)
    if phase.cycles == 1 and not phase.pause_s:
        return [(window.start_s, window.end_s)]
    starts_s = [window.start_s + cycle * (phase.duration_s + phase.pause_s) for cycle in range(phase.cycles)]
    return [(start_s, min(window.end_s, start_s + phase.duration_s)) for start_s in starts_s]


def seconds_of(series: Series, start_s: float, end_s: float, before_s: float = 0.0) -> list[Second] | None:
    """Return each second between two times, after `before_s` of load; a missing row takes the mean around it.

    None when more rows are missing than MAX_GAP_S spans. The cost is None where CPU time is not known.
    """
    rows = [(t_s, count) for t_s, count in known_rows(series, "load.requests") if start_s <= t_s <= end_s]
    edges_s = [start_s, *(t_s for t_s, _ in rows), end_s]
    if any(later - earlier > MAX_GAP_S for earlier, later in pairwise(edges_s)):
        return None
    cpu_us = _cpu_us(series)
    seconds: list[Second] = []
    for (earlier, before), (later, after) in pairwise(rows):
        if later <= earlier:
            continue
        requests = after - before
        used_us = cpu_us[later] - cpu_us[earlier] if earlier in cpu_us and later in cpu_us else None
        cost = None if used_us is None or requests <= 0 else used_us / requests
        rate, at_s = requests / (later - earlier), before_s + earlier - start_s
        seconds += [Second(at_s + missed, rate, cost) for missed in range(max(1, round(later - earlier)))]
    return seconds


def _cpu_us(series: Series) -> dict[float, float]:
    """Return the CPU time of the application up to each row where both parts of it were read."""
    user, system = (dict(known_rows(series, column)) for column in _CPU)
    return {t_s: user[t_s] + system[t_s] for t_s in user if t_s in system}


# The share of the last cycle's time in which compilations ran or waited for a CPU. A busier compiler has just changed
# the program again.
COMPILING_SHARE = 0.25


def is_over(series: Series, loads: Loads) -> bool:
    """Return whether CPU time per request no longer falls, as far as its noise shows, no rise of the rate is seen, and
    the compiler rests.

    The load generator or a neighbour may decide the rate, so noise that hides a rise of the rate is no reason to wait.
    """
    seconds = [seconds_of(series, start_s, end_s) for start_s, end_s in loads]
    known_seconds = [second for cycle in seconds if cycle is not None for second in cycle]
    cost = gain_of([second.cost for second in known_seconds if second.cost is not None], "lower")
    rate = gain_of([second.rate for second in known_seconds], "higher")
    if cost is None or not cost.is_over or (rate is not None and rate.goes_on):
        return False
    compiling = _compiling_share(series, *loads[-1])
    return compiling is None or compiling <= COMPILING_SHARE


def _compiling_share(series: Series, start_s: float, end_s: float) -> float | None:
    """Return how much of the time since the last row before `start_s` compilations took; None without a JVM.

    Rows may be missing: the counter goes on while it is not read.
    """
    rows = [(t_s, value) for t_s, value in known_rows(series, "jvm.jit_us") if t_s <= end_s]
    before = [row for row in rows if row[0] <= start_s]
    if not before or before[-1] == rows[-1]:
        return None
    (from_s, from_us), (to_s, to_us) = before[-1], rows[-1]
    return (to_us - from_us) / ((to_s - from_s) * 1e6)


def warming(view: PhaseView) -> FigureValues:
    """Return the figures of a warm-up that goes on until steady."""
    if view.phase.least_cycles is None or view.window is None or not view.window.cycles:
        return {}
    loads = view.window.cycles
    return {
        "warm_up_s": sum(end_s - start_s for start_s, end_s in loads),
        "warm_up_over": float(len(loads) < view.phase.cycles or is_over(view.series, loads)),
    }


FIRST_S = 10.0
COUNT = "load.requests"
CLOCK_S = 0.01
"""A load lasts as long as it should even where the rounded times of its ends give a little less."""


def first_seconds(view: PhaseView) -> FigureValues:
    """Return the figure of the phase with the first load.

    It is absent where closed load lasts less than ten seconds, and where a neighbour disturbed them, or may have.
    """
    loads = first_loads(view.phase, view.scenario, view.evidence)
    if not loads:
        return {}
    return {"first_10_s_requests": None if _may_be_disturbed(view, loads) else _answered_requests(view, loads)}


def first_loads(phase: Phase, scenario: Scenario, evidence: Evidence) -> Loads:
    """Return the stretches of the first ten seconds of closed load, for the phase that they begin with.

    There are none for other phases, and where the load is shorter.
    """
    return first_of(_loads(loads_from(phase, scenario), evidence))


def first_of(loads: Iterable[Stretch]) -> Loads:
    """Return the first ten seconds of some stretches of load; none where these are shorter."""
    left_s, first = FIRST_S, list[Stretch]()
    for start_s, end_s in loads:
        # Nothing is answered between two loads: an end of load that is nearly reached counts as reached.
        until_s = start_s + left_s
        first.append((start_s, end_s if until_s >= end_s - CLOCK_S else until_s))
        left_s -= end_s - start_s
        if left_s <= CLOCK_S:
            return tuple(first)
    return ()


def loads_from(phase: Phase, scenario: Scenario) -> tuple[Phase, ...]:
    """Return the phases of closed load in which the first ten seconds lie, for the phase that they begin with; none for
    others.

    Under a fixed rate the count would only repeat what was asked for.
    """
    loaded = [planned for planned in scenario.phases if planned.kind in ("warm-up", "closed", "open")]
    closed = tuple(
        takewhile(
            lambda planned: planned.rate_per_s is None and planned.rate_share is None,
            loaded,
        )
    )
    return closed if closed and closed[0] == phase else ()


def _answered_requests(view: PhaseView, first: Loads) -> float | None:
    """Return the requests of the first loads; None where they were not counted.

    k6's own count of a phase is exact. The running count, which is read once a second, is asked only where the first
    ten seconds are a part of a phase.
    """
    counts: list[float | None] = []
    for phase in loads_from(view.phase, view.scenario):
        loaded = view_of(phase, view.scenario, view.evidence, view.sets)
        loads = tuple(stretches(phase, loaded.window))
        in_phase, first = first[: len(loads)], first[len(loads) :]
        if in_phase and in_phase == loads and loaded.load is not None:
            counts.append(loaded.load.completed)
        else:
            counts += [_running_count(view.series, load, to_its_end=load in loads) for load in in_phase]
    known_counts = [count for count in counts if count is not None]
    return math.fsum(known_counts) if len(known_counts) == len(counts) else None


def _running_count(series: Series, load: Stretch, *, to_its_end: bool) -> float | None:
    """Return how far the running count grew under a load; None where it was not read.

    Nothing is answered before a load, so its start is moved to the row before. The row after its end lacks what came
    after the last row within it, since a k6 that has ended can't be asked: the last rate is taken to go on to the end.
    """
    start_s, end_s = load
    times_s = [t_s for t_s, _ in known_rows(series, COUNT) if start_s - MAX_GAP_S <= t_s <= end_s]
    from_s = max((t_s for t_s in times_s if t_s <= start_s), default=start_s)
    grown = growth(series, COUNT)
    if not to_its_end:
        return grown(from_s, end_s)
    if len(times_s) < 2 or times_s[-1] <= start_s or end_s - times_s[-1] > MAX_GAP_S:
        return None
    earlier_s, last_s = times_s[-2:]
    answered, last_answered = grown(from_s, last_s), grown(earlier_s, last_s)
    if answered is None or last_answered is None:
        return None
    return answered + last_answered * (end_s - last_s) / (last_s - max(earlier_s, start_s))
