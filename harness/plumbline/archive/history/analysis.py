"""Analyses all series: which changes they show, which alerts follow, and which comparison would settle each alert."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from .alerts import SAME_WITHIN, Alert, Word, advance
from .series import FigureSeries, FoundChange, SeriesSegment, changes, segments


@dataclass(frozen=True)
class SeriesAnalysis:
    """The analysis of all series. `segments` go with `series`; `candidates` are of the open alerts."""

    series: tuple[FigureSeries, ...]
    segments: tuple[tuple[SeriesSegment, ...], ...]
    found: tuple[FoundChange, ...]
    alerts: tuple[Alert, ...]
    candidates: tuple[Candidate, ...]


def analyse(
    series: Sequence[FigureSeries],
    known: Sequence[Alert],
    verdicts: Mapping[str, Word],
) -> SeriesAnalysis:
    """Return a pure function of the series, the alerts known before, and what `compare` said of them."""
    parts = tuple(segments(one) for one in series)
    found = tuple(one for each, its in zip(series, parts, strict=True) for one in changes(each, its))
    alerts = advance(known, series, found, verdicts)
    return SeriesAnalysis(
        series=tuple(series),
        segments=parts,
        found=found,
        alerts=alerts,
        candidates=tuple(
            candidate(alert, change_of(alert, found)) for alert in alerts if alert.state == "open"
        ),
    )


def change_of(alert: Alert, found: Iterable[FoundChange]) -> FoundChange | None:
    """Return the change that an alert is about, as it stands."""
    for one in found:
        if one.series.id == alert.series and (one.change.ratio > 1) == (alert.ratio > 1):
            near = one.series.points[max(0, one.index - SAME_WITHIN) : one.index + SAME_WITHIN + 1]
            if any(point.session == alert.session for point in near):
                return one
    return None


@dataclass(frozen=True)
class Question:
    """A comparison that would confirm a change: two commits in full, for a subject under a scenario."""

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
        """The question as one would type it."""
        asked = self.question
        if asked is None:
            return None
        sides = f"{asked.base[:12]} {asked.head[:12]}"
        return f"./bench compare {sides} --only '{asked.subject}' --scenario {asked.scenario}"


def candidate(alert: Alert, found: FoundChange | None) -> Candidate:
    """Return the comparison that would confirm an open alert; `found` is its change as it stands."""
    if found is None or not found.series.subject:
        return Candidate(alert.id, None, "The series carries no commits.")
    base = found.series.points[found.before_index].commit
    head = found.series.points[found.index].commit
    if base is None or head is None:
        return Candidate(alert.id, None, "A session on one side was measured outside a commit.")
    if base == head:
        return Candidate(alert.id, None, f"Both sides are of commit {head[:12]}: look at the host.")
    scenario = found.series.scenario.partition("@")[0]
    return Candidate(alert.id, Question(base, head, found.series.subject, scenario), None)
