"""Analyses all series: which changes they show, and which alerts and comparisons follow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .alerts import SAME_WITHIN, Alert, Word, advance
from .candidates import Candidate, candidate
from .series import FoundChange, SeriesSegment, FigureSeries, changes, segments


@dataclass(frozen=True)
class SeriesAnalysis:
    """`segments` are those of each series, in the order of `series`; `candidates` are of the open alerts."""

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
    """A pure function of the series, the alerts known before, and what `compare` said of them."""
    parts = tuple(segments(one) for one in series)
    found = tuple(one for each, its in zip(series, parts, strict=True) for one in changes(each, its))
    alerts = advance(known, series, found, verdicts)
    return SeriesAnalysis(
        series=tuple(series),
        segments=parts,
        found=found,
        alerts=alerts,
        candidates=tuple(
            candidate(alert, _change_of(alert, found)) for alert in alerts if alert.state == "open"
        ),
    )


def _change_of(alert: Alert, found: Sequence[FoundChange]) -> FoundChange | None:
    for one in found:
        if one.series.id == alert.series and (one.change.ratio > 1) == (alert.ratio > 1):
            near = one.series.points[max(0, one.index - SAME_WITHIN) : one.index + SAME_WITHIN + 1]
            if any(point.session == alert.session for point in near):
                return one
    return None
