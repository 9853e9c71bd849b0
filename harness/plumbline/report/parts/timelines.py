"""The timeline of one trial a subject: the median one, second by second, with its phases."""

from __future__ import annotations

from collections.abc import Mapping

from plumbline.figures.series import known
from plumbline.model.evidence import Evidence, Window
from plumbline.model.plan import Scenario
from plumbline.model.record import Record
from ..view import Name, Point, TimelinePanel, TrialTimeline
from .curves import bands
from .numbers import MIB
from .series import growth, pieces
from .trials import measured_trials, median_trial


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
                    bands=bands(_windows(its), 0.0),
                    panels=tuple(panel for panel in _panels(its, len(record.plan.sets.app)) if panel.pieces),
                )
            )
    return tuple(found)


def _windows(evidence: Evidence) -> list[Window]:
    return sorted(evidence.windows, key=lambda one: one.start_s)


def _panels(evidence: Evidence, cpus: int) -> tuple[TimelinePanel, ...]:
    series = evidence.series
    busy = growth(series, ["cpu.app.user_us", "cpu.app.system_us"])
    share: list[Point] = [(t_s, used / 1e4 / max(cpus, 1)) for t_s, used in busy]
    resident: list[Point] = [(t_s, value / MIB) for t_s, value in known(series, "app.rss_bytes")]
    return (
        TimelinePanel(title="Requests", unit="/s", pieces=pieces(growth(series, ["load.requests"]))),
        TimelinePanel(title="Application, of its CPUs", unit="%", pieces=pieces(share)),
        TimelinePanel(title="Memory (RSS)", unit="MiB", pieces=pieces(resident)),
    )
