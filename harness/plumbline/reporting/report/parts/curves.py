"""Curves: requests a second over warm-up and closed load, latency by percentile, and timelines of median trials."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from statistics import median

from plumbline.model.evidence import Evidence, Series, Window
from plumbline.model.plan import COUNTED, Scenario
from plumbline.model.record import Record, Trial
from plumbline.verdicts.figures.latency import Grid, at, grid_of, merged, reportable
from plumbline.verdicts.figures.series import MAX_GAP_S, known
from ..view import (
    Band,
    Curves,
    LatencyLadder,
    Name,
    Percentiles,
    Point,
    TimelinePanel,
    TrialCurve,
    TrialTimeline,
)
from .naming import MIB
from .trials import measured_trials, median_trial

# More points than this do not show on a chart of this size, and make the page heavy.
MOST_POINTS = 60


def growth(series: Series, columns: Sequence[str]) -> list[Point]:
    """Return growth a second of several counters together, at the middle of each two rows; none if one is missing."""
    read = [series.columns.get(column, ()) for column in columns]
    sums = sorted(
        [(t_s, sum(values)) for t_s, *values in zip(series.t_s, *read, strict=False) if None not in values]
    )
    # A counter that falls was begun anew by another process of the load generator.
    return [
        ((earlier + later) / 2, max(after - before, 0.0) / (later - earlier))
        for (earlier, before), (later, after) in pairwise(sums)
        if 0 < later - earlier <= MAX_GAP_S
    ]


def cpu_use(series: Series, role: str, cpus: int) -> list[Point]:
    """Return the CPU time of a role's processes over time, in per cent of its CPUs."""
    busy = growth(series, [f"cpu.{role}.user_us", f"cpu.{role}.system_us"])
    return [(t_s, used_us / 1e4 / max(cpus, 1)) for t_s, used_us in busy]


def memory_use(series: Series, column: str) -> list[Point]:
    """Return a column of bytes over time, in MiB."""
    return [(t_s, value / MIB) for t_s, value in known(series, column)]


def pieces(points: Iterable[Point]) -> tuple[tuple[Point, ...], ...]:
    """Return the points as lines that break where rows are missing, thinned to MOST_POINTS by means of neighbours."""
    found: list[list[Point]] = []
    for point in points:
        if found and point[0] - found[-1][-1][0] <= MAX_GAP_S:
            found[-1].append(point)
        else:
            found.append([point])
    every = -(-sum(map(len, found)) // MOST_POINTS) or 1
    return tuple(tuple(_thinned(piece, every)) for piece in found)


def _thinned(piece: list[Point], every: int) -> list[Point]:
    if every == 1:
        return piece
    times, values = [t_s for t_s, _ in piece], [value for _, value in piece]
    return [
        (sum(its := times[start : start + every]) / len(its), sum(values[start : start + every]) / len(its))
        for start in range(0, len(piece), every)
    ]


_KINDS = ("warm-up", "closed")
# A second of the median needs this many trials, or it is one trial's again.
_FEWEST = 2


def curves(
    record: Record, scenario: Scenario, evidence: Mapping[int, Evidence], names: Mapping[str, Name]
) -> tuple[Curves, ...]:
    """Return the curves of each subject that has some, in the order of the subjects."""
    found = []
    for subject in record.plan.subjects:
        trials = [one for one in measured_trials(record, scenario) if one.subject == subject]
        runs = [run for trial in trials if (run := _run(trial, evidence.get(trial.number))) is not None]
        if runs:
            its = next(evidence[trial.number] for trial in trials if trial.number == runs[0].trial)
            phases = bands(_windows(its), _windows(its)[0].start_s)
            counting = [run for run in runs if run.verdict != "invalid"]
            found.append(
                Curves(name=names[subject], runs=tuple(runs), median=_median(counting, phases), bands=phases)
            )
    return tuple(found)


def bands(windows: Sequence[Window], zero_s: float) -> tuple[Band, ...]:
    """Return phases on an axis that starts at `zero_s`."""
    return tuple(
        Band(label=one.phase, kind=one.kind, start_s=one.start_s - zero_s, end_s=one.end_s - zero_s)
        for one in windows
    )


def _windows(evidence: Evidence) -> list[Window]:
    return sorted((one for one in evidence.windows if one.kind in _KINDS), key=lambda one: one.start_s)


def _run(trial: Trial, evidence: Evidence | None) -> TrialCurve | None:
    windows = [] if evidence is None else _windows(evidence)
    if evidence is None or not windows:
        return None
    rates = growth(evidence.series, ["load.requests"])
    found: list[tuple[Point, ...]] = []
    for window in windows:
        # Rows half outside would show the start and stop of the load generator as a dip.
        inside = [(t, rate) for t, rate in rates if window.start_s + 0.5 <= t <= window.end_s - 0.5]
        found += pieces((t - windows[0].start_s, rate) for t, rate in inside)
    return TrialCurve(trial=trial.number, verdict=trial.verdict, pieces=tuple(found)) if found else None


def _median(runs: Sequence[TrialCurve], within: Sequence[Band]) -> tuple[tuple[Point, ...], ...]:
    """Return the median rate of each second that enough trials have, phase by phase."""
    found: list[tuple[Point, ...]] = []
    for band in within:
        seconds: dict[int, list[float]] = defaultdict(list)
        for run in runs:
            for t_s, rate in (point for piece in run.pieces for point in piece):
                if band.start_s <= t_s <= band.end_s:
                    seconds[round(t_s)].append(rate)
        found += pieces(
            (min(max(t_s, band.start_s), band.end_s), median(its))
            for t_s, its in sorted(seconds.items())
            if len(its) >= _FEWEST
        )
    return tuple(found)


QUANTILES = (
    *(0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.93, 0.95, 0.97),
    *(0.98, 0.99, 0.995, 0.998, 0.999, 0.9995, 0.9999),
)


def ladders(
    record: Record, scenario: Scenario, evidence: Mapping[int, Evidence], names: Mapping[str, Name]
) -> tuple[LatencyLadder, ...]:
    """Return a ladder for each phase of open load that left latencies."""
    found = []
    for phase in scenario.phases:
        if phase.kind != "open":
            continue
        lines = [
            _line(names[subject], _grids(record, scenario, phase.name, subject, evidence))
            for subject in (*record.plan.subjects, record.plan.control)
        ]
        shown = tuple(line for line in lines if line is not None)
        if shown:
            found.append(
                LatencyLadder(
                    phase=phase.name,
                    rate_per_s=None if phase.rate_per_s is None else round(phase.rate_per_s),
                    lines=shown,
                )
            )
    return tuple(found)


def _grids(
    record: Record, scenario: Scenario, phase: str, subject: str, evidence: Mapping[int, Evidence]
) -> list[Grid]:
    grids = [
        grid_of(load)
        for trial in record.trials
        if trial.subject == subject and trial.scenario == scenario.id
        if trial.role in COUNTED and trial.verdict != "invalid" and trial.number in evidence
        for load in evidence[trial.number].load
        if load.phase == phase
    ]
    return [grid for grid in grids if grid is not None and grid.samples > 0]


def _line(name: Name, grids: list[Grid]) -> Percentiles | None:
    if not grids:
        return None
    together = merged(grids)
    points = tuple(
        (quantile, at(together, quantile))
        for quantile in QUANTILES
        # In each trial, not in all of them together.
        if all(reportable(grid.samples, quantile) for grid in grids)
    )
    return (
        Percentiles(name=name, points=points, samples=together.samples, trials=len(grids)) if points else None
    )


def timelines(
    record: Record, scenario: Scenario, evidence: Mapping[int, Evidence], names: Mapping[str, Name]
) -> tuple[TrialTimeline, ...]:
    """Return a timeline for each subject whose median trial left a series."""
    found = []
    for subject in record.plan.subjects:
        trials = [one for one in measured_trials(record, scenario) if one.subject == subject]
        chosen = median_trial(trials)
        its = None if chosen is None else evidence.get(chosen.number)
        if chosen is not None and its is not None and its.series.t_s:
            found.append(
                TrialTimeline(
                    name=names[subject],
                    trial=chosen.number,
                    why="the median of those that count"
                    if chosen.verdict != "invalid"
                    else "invalid, as all others",
                    end_s=its.series.t_s[-1],
                    bands=bands(_windows_of(its), 0.0),
                    panels=tuple(panel for panel in _panels(its, len(record.plan.sets.app)) if panel.pieces),
                )
            )
    return tuple(found)


def _windows_of(evidence: Evidence) -> list[Window]:
    return sorted(evidence.windows, key=lambda one: one.start_s)


def _panels(evidence: Evidence, cpus: int) -> tuple[TimelinePanel, ...]:
    series = evidence.series
    return (
        TimelinePanel(title="Requests", unit="/s", pieces=pieces(growth(series, ["load.requests"]))),
        TimelinePanel(
            title="Application, of its CPUs", unit="%", pieces=pieces(cpu_use(series, "app", cpus))
        ),
        TimelinePanel(title="Memory (RSS)", unit="MiB", pieces=pieces(memory_use(series, "app.rss_bytes"))),
    )
