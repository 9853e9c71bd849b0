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
    """Return the curves of each subject that has any, in the order of the subjects, all over the same phases."""
    trials = [trial for trial in measured_trials(record, scenario) if trial.number in evidence]
    phases = _aligned([_loaded_windows(evidence[trial.number]) for trial in trials])
    views = []
    for subject in record.plan.subjects:
        of_subject = [
            _trial_curve(trial, evidence[trial.number], phases) for trial in trials if trial.subject == subject
        ]
        runs = tuple(run for run in of_subject if run.pieces)
        if runs:
            counting = [run for run in runs if run.verdict != "invalid"]
            views.append(
                Curves(name=names[subject], runs=runs, median=_median(counting, phases), bands=tuple(phases.values()))
            )
    return tuple(views)


def _aligned(trials: Sequence[Sequence[Window]]) -> dict[str, Band]:
    """Return the phases by name on an axis on which a phase begins at the same second in all trials.

    A warm-up lasts until the program is warm, so that the same second is of another phase in another trial. Phases and
    the pauses before them are as long as in the trial where each is longest.
    """
    aligned: dict[str, Band] = {}
    end_s = 0.0
    for name in dict.fromkeys(window.phase for windows in sorted(trials, key=len, reverse=True) for window in windows):
        pairs = [pair for windows in trials for pair in zip([None, *windows], windows, strict=False)]
        found = [(before, window) for before, window in pairs if window.phase == name]
        start_s = end_s + max(0.0 if before is None else window.start_s - before.end_s for before, window in found)
        end_s = start_s + max(window.end_s - window.start_s for _, window in found)
        aligned[name] = Band(label=name, kind=found[0][1].kind, start_s=start_s, end_s=end_s)
    return aligned


def bands(evidence: Evidence) -> tuple[Band, ...]:
    """Return the phases of a trial in the order of time."""
    return tuple(
        Band(label=window.phase, kind=window.kind, start_s=window.start_s, end_s=window.end_s)
        for window in sorted(evidence.windows, key=lambda window: window.start_s)
    )


def _loaded_windows(evidence: Evidence) -> list[Window]:
    return sorted((window for window in evidence.windows if window.kind in _KINDS), key=lambda window: window.start_s)


def _trial_curve(trial: Trial, evidence: Evidence, phases: Mapping[str, Band]) -> TrialCurve:
    rates = growth(evidence.series, ["load.requests"])
    curve_pieces: list[tuple[Point, ...]] = []
    for window in _loaded_windows(evidence):
        # Rows half outside would show the start and stop of the load generator as a dip.
        inside = [(t, rate) for t, rate in rates if window.start_s + 0.5 <= t <= window.end_s - 0.5]
        curve_pieces += thinned_pieces((phases[window.phase].start_s + t - window.start_s, rate) for t, rate in inside)
    return TrialCurve(trial=trial.number, verdict=trial.verdict, pieces=tuple(curve_pieces))


def _median(runs: Sequence[TrialCurve], phases: Mapping[str, Band]) -> tuple[tuple[Point, ...], ...]:
    """Return the median rate of each second that enough trials have, phase by phase."""
    median_pieces: list[tuple[Point, ...]] = []
    for phase in phases.values():
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
                    bands=bands(trial_evidence),
                    panels=tuple(panel for panel in _panels(trial_evidence, len(sets.app)) if panel.pieces),
                )
            )
    return tuple(views)


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
