"""Warm-up curves: requests a second over warm-up and closed load, every trial and their median."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from statistics import median

from plumbline.model.evidence import Evidence, Window
from plumbline.model.plan import Scenario
from plumbline.model.record import Record, Trial

from ..view import Band, Curves, Name, Point, Run
from .series import growth, pieces
from .trials import measured_trials

_KINDS = ("warm-up", "closed")
# A second of the median needs this many trials, or it is one trial's again.
_FEWEST = 2


def curves(
    record: Record, scenario: Scenario, evidence: Mapping[int, Evidence], names: Mapping[str, Name]
) -> tuple[Curves, ...]:
    """One set of curves a subject that has any, the subjects in their order."""
    found = []
    for subject in record.plan.subjects:
        trials = [one for one in measured_trials(record, scenario) if one.subject == subject]
        runs = [run for trial in trials if (run := _run(trial, evidence.get(trial.number))) is not None]
        if runs:
            its = next(evidence[trial.number] for trial in trials if trial.number == runs[0].trial)
            found.append(
                Curves(
                    name=names[subject],
                    runs=tuple(runs),
                    median=_median([run for run in runs if run.verdict != "invalid"]),
                    bands=bands(_windows(its), _windows(its)[0].start_s),
                )
            )
    return tuple(found)


def bands(windows: Sequence[Window], zero_s: float) -> tuple[Band, ...]:
    """Phases on an axis that starts at `zero_s`."""
    return tuple(
        Band(label=one.phase, kind=one.kind, start_s=one.start_s - zero_s, end_s=one.end_s - zero_s)
        for one in windows
    )


def _windows(evidence: Evidence) -> list[Window]:
    return sorted((one for one in evidence.windows if one.kind in _KINDS), key=lambda one: one.start_s)


def _run(trial: Trial, evidence: Evidence | None) -> Run | None:
    windows = [] if evidence is None else _windows(evidence)
    if evidence is None or not windows:
        return None
    inside = [
        (t_s - windows[0].start_s, rate)
        for t_s, rate in growth(evidence.series, ["load.requests"])
        if any(one.start_s + 0.5 <= t_s <= one.end_s - 0.5 for one in windows)
    ]
    return Run(trial=trial.number, verdict=trial.verdict, pieces=pieces(inside)) if inside else None


def _median(runs: Sequence[Run]) -> tuple[tuple[Point, ...], ...]:
    """The median rate of each second that enough trials have."""
    seconds: dict[int, list[float]] = defaultdict(list)
    for run in runs:
        for piece in run.pieces:
            for t_s, rate in piece:
                seconds[round(t_s)].append(rate)
    return pieces((float(t_s), median(its)) for t_s, its in sorted(seconds.items()) if len(its) >= _FEWEST)
