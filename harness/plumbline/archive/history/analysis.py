"""Analyses all series: which changes they show, which alerts follow, and which comparison would settle each alert."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter

from .alerts import Alert, Word, advance, distance
from .points import Point, differing
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
    base, head = _sides(found_change)
    if base.commit is None or head.commit is None:
        return Candidate(alert.id, None, "The sessions of one side were measured outside a commit.")
    if base.commit == head.commit:
        return Candidate(alert.id, None, f"Both sides are of commit {head.commit[:12]}: look at the host.")
    if (reason := _not_by_a_commit(base, head)) is not None:
        return Candidate(alert.id, None, reason)
    scenario = found_change.series.scenario.partition("@")[0]
    return Candidate(alert.id, Question(base.commit, head.commit, found_change.series.subject, scenario), None)


def _sides(found_change: FoundChange) -> tuple[Point, Point]:
    """Return the points whose commits to compare: the nearest to a change that are surely of their level.

    A short level has none: there they are the middle of the old level, and the newest point of the new one.
    """
    old = found_change.surely_old or found_change.old[: len(found_change.old) // 2 + 1]
    new = found_change.surely_new or found_change.new[::-1]
    return _committed(found_change, old[::-1]), _committed(found_change, new)


def _committed(found_change: FoundChange, indices: Sequence[int]) -> Point:
    """Return the first of some points that was measured on a commit; the first of all where none was."""
    points = found_change.series.points
    return points[next((index for index in indices if points[index].commit is not None), indices[0])]


def _not_by_a_commit(base: Point, head: Point) -> str | None:
    """Return why a comparison of the commits of two points can't show what lies between the points; None if it can."""
    artifact = base.labels.get("application")
    if artifact not in (None, "unknown") and artifact == head.labels.get("application"):
        return f"Both sides ran the artifact {artifact}: look at the host."
    of_both_sides = [name for name in differing(base.labels, head.labels) if name.startswith(("jdk", "default "))]
    if of_both_sides:
        return f"A comparison runs both sides with one {of_both_sides[0]}, which changed between them."
    return None


def lies_between(found_change: FoundChange, base: str | None, head: str | None) -> bool:
    """Return whether a commit `base` was measured at the level before a change, and another, `head`, at the level
    after it.
    """
    old, new = _commits(found_change, found_change.old), _commits(found_change, found_change.new)
    return base != head and base in old and head in new


def can_clear(found_change: FoundChange, base: str | None, head: str | None, began: str) -> bool:
    """Return whether a comparison of two commits, which began at that time, would have shown the change if it is true.

    A change may be misplaced, so both commits have to be surely of their level. Of the new level the newest point is so
    as well, if the comparison began after it: without that point the change was not known.
    """
    points = found_change.series.points
    newest = [index for index in found_change.new if str(points[index].t) < began][-1:]
    return (
        base in _commits(found_change, found_change.surely_old)
        and head in _commits(found_change, (*found_change.surely_new, *newest))
        and _not_by_a_commit(*_sides(found_change)) is None
    )


def _commits(found_change: FoundChange, indices: Iterable[int]) -> set[str]:
    return {commit for index in indices if (commit := found_change.series.points[index].commit) is not None}
