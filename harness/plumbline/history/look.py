"""One look at all series: what changed, what is to be done."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .alerts import SAME_WITHIN, Alert, Word, advance
from .candidates import Candidate, candidate
from .series import Found, Series, changes


@dataclass(frozen=True)
class Look:
    """`candidates` are of the open alerts, in their order."""

    series: tuple[Series, ...]
    found: tuple[Found, ...]
    alerts: tuple[Alert, ...]
    candidates: tuple[Candidate, ...]


def look(series: Sequence[Series], known: Sequence[Alert], verdicts: Mapping[str, Word]) -> Look:
    """A pure function of the series, the alerts known before, and what `compare` said of them."""
    found = tuple(one for each in series for one in changes(each))
    alerts = advance(known, series, found, verdicts)
    return Look(
        series=tuple(series),
        found=found,
        alerts=alerts,
        candidates=tuple(
            candidate(alert, _change_of(alert, found)) for alert in alerts if alert.state == "open"
        ),
    )


def _change_of(alert: Alert, found: Sequence[Found]) -> Found | None:
    for one in found:
        if one.series.id == alert.series and (one.change.ratio > 1) == (alert.ratio > 1):
            near = one.series.points[max(0, one.index - SAME_WITHIN) : one.index + SAME_WITHIN + 1]
            if any(point.session == alert.session for point in near):
                return one
    return None
