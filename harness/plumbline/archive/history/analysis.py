"""Analyses all series: which changes they show, which alerts follow, and which comparison would settle each alert."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter

from .alerts import Alert, Word, advance, distance
from .series import FigureSeries, FoundChange, SeriesSegment, changes, segments


@dataclass(frozen=True)
class SeriesAnalysis:
    """The analysis of all series. `segments` has the segments of each of `series`, in the same order;
    `candidates` are those of the open alerts.
    """

    series: tuple[FigureSeries, ...]
    segments: tuple[tuple[SeriesSegment, ...], ...]
    changes: tuple[FoundChange, ...]
    alerts: tuple[Alert, ...]
    candidates: tuple[Candidate, ...]


def analyse(
    series: Sequence[FigureSeries],
    known_alerts: Sequence[Alert],
    verdicts: Mapping[str, Word],
) -> SeriesAnalysis:
    """Return the analysis: a pure function of the series, the known alerts, and the verdicts of `compare` on alerts."""
    series_segments = tuple(segments(figure_series) for figure_series in series)
    found_changes = tuple(
        found_change
        for figure_series, own_segments in zip(series, series_segments, strict=True)
        for found_change in changes(figure_series, own_segments)
    )
    alerts = advance(known_alerts, series, found_changes, verdicts)
    return SeriesAnalysis(
        series=tuple(series),
        segments=series_segments,
        changes=found_changes,
        alerts=alerts,
        candidates=tuple(
            candidate(alert, change_of(alert, found_changes)) for alert in alerts if alert.state == "open"
        ),
    )


def change_of(alert: Alert, found_changes: Iterable[FoundChange]) -> FoundChange | None:
    """Return the change of an alert, the nearest that the analysis found; None where it found no such change."""
    near = [
        (between, found_change)
        for found_change in found_changes
        if (between := distance(alert, found_change)) is not None
    ]
    return min(near, key=itemgetter(0), default=(0, None))[1]


@dataclass(frozen=True)
class Question:
    """A comparison that would confirm a change: the full ids of two commits, a subject and a scenario."""

    base: str
    head: str
    subject: str
    scenario: str


@dataclass(frozen=True)
class Candidate:
    """An alert that a comparison could confirm; or `reason` says why no two commits lie on its two sides."""

    alert: str
    question: Question | None
    reason: str | None

    @property
    def command(self) -> str | None:
        """The command line that asks the question; None without a question."""
        question = self.question
        if question is None:
            return None
        # In full: confirm.yml takes no shorter ones.
        sides = f"{question.base} {question.head}"
        return f"./bench compare {sides} --only '{question.subject}' --scenario {question.scenario}"


def candidate(alert: Alert, found_change: FoundChange | None) -> Candidate:
    """Return the comparison that would confirm an open alert; `found_change` is its change, None where the analysis
    did not find it.
    """
    if found_change is None or not found_change.series.subject:
        return Candidate(alert.id, None, "The series carries no commits.")
    base = found_change.series.points[found_change.before_index].commit
    head = found_change.series.points[found_change.index].commit
    if base is None or head is None:
        return Candidate(alert.id, None, "A session on one side was measured outside a commit.")
    if base == head:
        return Candidate(alert.id, None, f"Both sides are of commit {head[:12]}: look at the host.")
    scenario = found_change.series.scenario.partition("@")[0]
    return Candidate(alert.id, Question(base, head, found_change.series.subject, scenario), None)
