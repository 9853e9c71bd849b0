"""Curves: requests a second over warm-up and closed load, latency by percentile, and timelines of median trials."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from statistics import median

from plumbline.model.evidence import Evidence, Series, Window
from plumbline.model.plan import COUNTED, Scenario
from plumbline.model.record import Record, Trial
from plumbline.verdicts.figures.latency import Grid, grid_of, latency_at, merged, reportable
from plumbline.verdicts.figures.series import MAX_GAP_S, known_rows
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
from .naming import MIB, phase_in_words
from .trials import by_proof, measured_trials, median_trial

# More points than this do not show on a chart of this size, and make the page heavy.
MOST_POINTS = 60


def growth(series: Series, columns: Sequence[str]) -> list[Point]:
    """Return the growth a second of the sum of counters, midway between each two rows; none if a counter is missing."""
    counters = [series.columns.get(column, ()) for column in columns]
    sums = sorted(
        [(t_s, sum(values)) for t_s, *values in zip(series.t_s, *counters, strict=False) if None not in values]
    )
    # A counter falls where another process of the load generator has started it anew.
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
    return [(t_s, value / MIB) for t_s, value in known_rows(series, column)]


def thinned_pieces(points: Iterable[Point]) -> tuple[tuple[Point, ...], ...]:
    """Return the points as lines that break where rows are missing, thinned to MOST_POINTS by means of neighbours."""
    lines: list[list[Point]] = []
    for point in points:
        if lines and point[0] - lines[-1][-1][0] <= MAX_GAP_S:
            lines[-1].append(point)
        else:
            lines.append([point])
    points_per_mean = -(-sum(map(len, lines)) // MOST_POINTS) or 1
    return tuple(tuple(_thinned(piece, points_per_mean)) for piece in lines)


def _thinned(piece: list[Point], points_per_mean: int) -> list[Point]:
    if points_per_mean == 1:
        return piece
    times, values = [t_s for t_s, _ in piece], [value for _, value in piece]
    return [
        (
            sum(chunk := times[start : start + points_per_mean]) / len(chunk),
            sum(values[start : start + points_per_mean]) / len(chunk),
        )
        for start in range(0, len(piece), points_per_mean)
    ]


_KINDS = ("warm-up", "closed")
# A second of the median needs this many trials: the median of one trial is that trial again.
_FEWEST = 2


def curves(
    record: Record, scenario: Scenario, evidence: Mapping[int, Evidence], names: Mapping[str, Name]
) -> tuple[Curves, ...]:
    """Return the curves of each subject that has any, in the order of the subjects."""
    views = []
    for subject in record.plan.subjects:
        trials = [trial for trial in measured_trials(record, scenario) if trial.subject == subject]
        runs = [run for trial in trials if (run := _trial_curve(trial, evidence.get(trial.number))) is not None]
        if runs:
            first_evidence = next(evidence[trial.number] for trial in trials if trial.number == runs[0].trial)
            phases = bands(_loaded_windows(first_evidence), _loaded_windows(first_evidence)[0].start_s)
            counting = [run for run in runs if run.verdict != "invalid"]
            views.append(Curves(name=names[subject], runs=tuple(runs), median=_median(counting, phases), bands=phases))
    return tuple(views)


def bands(windows: Sequence[Window], zero_s: float) -> tuple[Band, ...]:
    """Return the phases of the windows on an axis that starts at `zero_s`."""
    return tuple(
        Band(label=window.phase, kind=window.kind, start_s=window.start_s - zero_s, end_s=window.end_s - zero_s)
        for window in windows
    )


def _loaded_windows(evidence: Evidence) -> list[Window]:
    return sorted((window for window in evidence.windows if window.kind in _KINDS), key=lambda window: window.start_s)


def _trial_curve(trial: Trial, evidence: Evidence | None) -> TrialCurve | None:
    windows = [] if evidence is None else _loaded_windows(evidence)
    if evidence is None or not windows:
        return None
    rates = growth(evidence.series, ["load.requests"])
    curve_pieces: list[tuple[Point, ...]] = []
    for window in windows:
        # Rows half outside would show the start and stop of the load generator as a dip.
        inside = [(t, rate) for t, rate in rates if window.start_s + 0.5 <= t <= window.end_s - 0.5]
        curve_pieces += thinned_pieces((t - windows[0].start_s, rate) for t, rate in inside)
    return TrialCurve(trial=trial.number, verdict=trial.verdict, pieces=tuple(curve_pieces)) if curve_pieces else None


def _median(runs: Sequence[TrialCurve], phases: Sequence[Band]) -> tuple[tuple[Point, ...], ...]:
    """Return the median rate of each second that enough trials have, phase by phase."""
    median_pieces: list[tuple[Point, ...]] = []
    for phase in phases:
        seconds: dict[int, list[float]] = defaultdict(list)
        for run in runs:
            for t_s, rate in (point for piece in run.pieces for point in piece):
                if phase.start_s <= t_s <= phase.end_s:
                    seconds[round(t_s)].append(rate)
        median_pieces += thinned_pieces(
            (min(max(t_s, phase.start_s), phase.end_s), median(rates))
            for t_s, rates in sorted(seconds.items())
            if len(rates) >= _FEWEST
        )
    return tuple(median_pieces)


QUANTILES = (
    *(0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.93, 0.95, 0.97),
    *(0.98, 0.99, 0.995, 0.998, 0.999, 0.9995, 0.9999),
)


def ladders(
    record: Record, scenario: Scenario, evidence: Mapping[int, Evidence], names: Mapping[str, Name]
) -> tuple[LatencyLadder, ...]:
    """Return the ladders of each phase of open load that left latencies.

    Trials that were not proven to be of a warm program have a ladder of their own.
    """
    counting = [
        trial
        for trial in record.trials
        if trial.scenario == scenario.id and trial.role in COUNTED and trial.verdict != "invalid"
    ]
    views = []
    for phase in scenario.phases:
        if phase.kind != "open":
            continue
        for place, trials in by_proof(counting, phase.name, phase_in_words(scenario, phase.name)):
            lines = [
                _percentiles(names[subject], _grids(trials, phase.name, subject, evidence))
                for subject in (*record.plan.subjects, record.plan.control)
            ]
            measured_lines = tuple(line for line in lines if line is not None)
            if measured_lines:
                views.append(
                    LatencyLadder(
                        phase=phase.name,
                        where=place,
                        rate_per_s=None if phase.rate_per_s is None else round(phase.rate_per_s),
                        lines=measured_lines,
                    )
                )
    return tuple(views)


def _grids(trials: Sequence[Trial], phase: str, subject: str, evidence: Mapping[int, Evidence]) -> list[Grid]:
    grids = [
        grid_of(load)
        for trial in trials
        if trial.subject == subject and trial.number in evidence
        for load in evidence[trial.number].load
        if load.phase == phase
    ]
    return [grid for grid in grids if grid is not None and grid.samples > 0]


def _percentiles(name: Name, grids: list[Grid]) -> Percentiles | None:
    if not grids:
        return None
    mixture = merged(grids)
    points = tuple(
        (quantile, latency_at(mixture, quantile))
        for quantile in QUANTILES
        # Each trial needs enough requests, not only all trials together.
        if all(reportable(grid.samples, quantile) for grid in grids)
    )
    return Percentiles(name=name, points=points, samples=mixture.samples, trials=len(grids)) if points else None


def timelines(
    record: Record, scenario: Scenario, evidence: Mapping[int, Evidence], names: Mapping[str, Name]
) -> tuple[TrialTimeline, ...]:
    """Return a timeline for each subject whose median trial left a series."""
    views = []
    for subject in record.plan.subjects:
        trials = [trial for trial in measured_trials(record, scenario) if trial.subject == subject]
        chosen = median_trial(trials)
        trial_evidence = None if chosen is None else evidence.get(chosen.number)
        if chosen is not None and trial_evidence is not None and trial_evidence.series.t_s:
            sets = record.plan.sets_of(record.plan.trial(chosen.number))
            views.append(
                TrialTimeline(
                    name=names[subject],
                    trial=chosen.number,
                    why="the median of those that count" if chosen.verdict != "invalid" else "invalid, as all others",
                    end_s=trial_evidence.series.t_s[-1],
                    bands=bands(_all_windows(trial_evidence), 0.0),
                    panels=tuple(panel for panel in _panels(trial_evidence, len(sets.app)) if panel.pieces),
                )
            )
    return tuple(views)


def _all_windows(evidence: Evidence) -> list[Window]:
    return sorted(evidence.windows, key=lambda window: window.start_s)


def _panels(evidence: Evidence, cpus: int) -> tuple[TimelinePanel, ...]:
    series = evidence.series
    return (
        TimelinePanel(title="Requests", unit="/s", pieces=thinned_pieces(growth(series, ["load.requests"]))),
        TimelinePanel(
            title="Application, of its CPUs",
            unit="%",
            pieces=thinned_pieces(cpu_use(series, "app", cpus)),
        ),
        TimelinePanel(
            title="Memory (RSS)",
            unit="MiB",
            pieces=thinned_pieces(memory_use(series, "app.rss_bytes")),
        ),
    )
