"""Warm-up curves: requests a second over warm-up and closed load, every trial and their median."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from statistics import median

from plumbline.model.evidence import Evidence, Window
from plumbline.model.plan import Scenario
from plumbline.model.record import Record, Trial
from ..view import Band, Curves, Name, Point, TrialCurve
from .series import growth, pieces
from .trials import measured_trials

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
