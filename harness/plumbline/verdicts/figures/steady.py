"""Compute how a trial warmed up: the seconds of load until its rate was steady, and until its rate had nearly reached
its peak.

The series is the rate of each second under load, warm-up and closed phase together. Pauses between the cycles of a
warm-up are left out, and so are seconds with load in only a part of them.

A warm-up until steady that ended before its cap was over: the harness saw that. At the cap the same question is asked
again, from the rows that the record keeps; a long trial keeps only some rows of the compiler (record/trim.py).
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise, takewhile

from plumbline.model.evidence import Evidence, Series, Window
from plumbline.model.plan import Phase, Scenario
from plumbline.verdicts.stats.drift import LAB_LIMIT, gain_of
from plumbline.verdicts.stats.steady import steadiness
from .series import MAX_GAP_S, increase, known_rows
from .shares import Stretch, may_be_disturbed
from .view import FigureValues, PhaseView

Loads = tuple[Stretch, ...]

_CPU = ("cpu.app.user_us", "cpu.app.system_us")


def steady(view: PhaseView) -> FigureValues:
    """Return the figures of a closed phase.

    steady_from_s is absent where the phase is not proven steady, and where a neighbour disturbed its warm-up, or may
    have.
    """
    if view.phase.kind != "closed":
        return {}
    warm_ups = warm_ups_before(view.phase, view.scenario)
    rates = loaded_rates(view.phase, warm_ups, view.evidence)
    if rates is None:
        return {}
    proven = view.steady_within is not None and not _may_be_disturbed(view, _loads(warm_ups, view.evidence))
    steady_part = steadiness(rates, LAB_LIMIT if view.steady_within is None else max(LAB_LIMIT, view.steady_within))
    return {
        "steady_from_s": steady_part.from_s if proven else None,
        "time_to_95_share_of_peak_s": steady_part.arrived_s,
    }


def warm_ups_before(phase: Phase, scenario: Scenario) -> tuple[Phase, ...]:
    """Return the warm-up phases that come before a phase."""
    before = scenario.phases[: scenario.phases.index(phase)]
    return tuple(earlier_phase for earlier_phase in before if earlier_phase.kind == "warm-up")


def loaded_rates(closed: Phase, warm_ups: tuple[Phase, ...], evidence: Evidence) -> list[float] | None:
    """Return the requests per second in each second of warm-ups and closed phase.

    None when the trial left no window or the count has holes.
    """
    seconds = _loaded_seconds(closed, warm_ups, evidence)
    return None if seconds is None else [rate for rate, _ in seconds]


def loaded_costs(closed: Phase, warm_ups: tuple[Phase, ...], evidence: Evidence) -> list[float] | None:
    """Return the application's CPU time per request, in microseconds, of each second of warm-ups and closed phase.

    None when the trial left no window, the count has holes, or the cost of a second is not known.
    """
    seconds = _loaded_seconds(closed, warm_ups, evidence)
    costs = None if seconds is None else [cost for _, cost in seconds if cost is not None]
    return costs if seconds is not None and costs is not None and len(costs) == len(seconds) else None


def _loaded_seconds(
    closed: Phase, warm_ups: tuple[Phase, ...], evidence: Evidence
) -> list[tuple[float, float | None]] | None:
    if all(window.phase != closed.name for window in evidence.windows):
        return None
    seconds: list[tuple[float, float | None]] = []
    for start_s, end_s in _loads((*warm_ups, closed), evidence):
        rows = seconds_of(evidence.series, start_s, end_s)
        if rows is None:
            return None
        seconds += rows
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
    starts_s = [window.start_s + cycle * (phase.duration_s + phase.pause_s) for cycle in range(phase.cycles)]
    return [
        (start_s, min(window.end_s, start_s + phase.duration_s) if phase.cycles > 1 else window.end_s)
        for start_s in starts_s
    ]


def seconds_of(series: Series, start_s: float, end_s: float) -> list[tuple[float, float | None]] | None:
    """Return the rate and the CPU time per request of each second between two times; a missing row takes the mean
    around it.

    None when more rows are missing than MAX_GAP_S spans. The cost is None where CPU time is not known.
    """
    rows = [(t_s, count) for t_s, count in known_rows(series, "load.requests") if start_s <= t_s <= end_s]
    edges_s = [start_s, *(t_s for t_s, _ in rows), end_s]
    if any(later - earlier > MAX_GAP_S for earlier, later in pairwise(edges_s)):
        return None
    cpu_us = _cpu_us(series)
    rates_and_costs: list[tuple[float, float | None]] = []
    for (earlier, before), (later, after) in pairwise(rows):
        if later <= earlier:
            continue
        requests = after - before
        used_us = cpu_us[later] - cpu_us[earlier] if earlier in cpu_us and later in cpu_us else None
        cost = None if used_us is None or requests <= 0 else used_us / requests
        rates_and_costs += [(requests / (later - earlier), cost)] * max(1, round(later - earlier))
    return rates_and_costs


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
    cost = gain_of([cost for _, cost in known_seconds if cost is not None], "lower")
    rate = gain_of([rate for rate, _ in known_seconds], "higher")
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
"""A load lasts ten seconds even where the rounded times of its ends give a little less."""


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

    Nothing is answered before or after a load: its ends are moved to the next rows outside, without interpolation.
    """
    ends_s = {end_s for _, end_s in _loads(view.scenario.phases, view.evidence)}
    rows_s = [t_s for t_s, _ in known_rows(view.series, COUNT)]
    answered = 0.0
    for start_s, end_s in first:
        from_s = max((t_s for t_s in rows_s if start_s - MAX_GAP_S <= t_s <= start_s), default=start_s)
        to_s = end_s
        if end_s in ends_s:
            to_s = min((t_s for t_s in rows_s if end_s <= t_s <= end_s + MAX_GAP_S), default=end_s)
        requests = increase(view.series, COUNT, Window(phase="", kind="closed", start_s=from_s, end_s=to_s))
        if requests is None:
            return None
        answered += requests
    return answered
