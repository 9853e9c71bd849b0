"""The alerts page, and hosts with what happened to them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from plumbline.archive.history.alerts import UNSOLVED, Alert
from plumbline.archive.history.analysis import change_of
from plumbline.archive.history.series import FoundChange
from plumbline.archive.record.names import Hostile, seconds
from plumbline.model.subject import slug_of
from plumbline.reporting.report.parts.clean import clean_text
from plumbline.verdicts.figures.metrics import METRICS
from plumbline.verdicts.stats.amounts import change
from .addresses import trend_page
from .model.series import AlertEntry, AlertsFile
from .trends import Chart, Trends, cause

_PAGE = "alerts/"


def alerts_file(trends: Trends, simulated: bool) -> AlertsFile:
    """Return all alerts that history knows, with what a reader can do about each."""
    charts = {chart.series.id: chart for chart in trends.charts}
    commands = {one.alert: (one.command, one.reason) for one in trends.analysis.candidates}
    found: dict[str, list[FoundChange]] = {}
    for one in trends.analysis.found:
        found.setdefault(one.series.id, []).append(one)
    entries = [
        _entry(alert, charts.get(alert.series), found.get(alert.series, []), commands)
        for alert in trends.analysis.alerts
    ]
    entries.sort(key=lambda one: (-one.t, one.id))
    return AlertsFile(
        simulated=simulated,
        open=tuple(one for one in entries if one.state in UNSOLVED),
        closed=tuple(one for one in entries if one.state not in UNSOLVED),
    )


def _entry(
    alert: Alert,
    chart: Chart | None,
    found: list[FoundChange],
    commands: Mapping[str, tuple[str | None, str | None]],
) -> AlertEntry:
    series = None if chart is None else chart.series
    its = change_of(alert, found)
    command, why_not = commands.get(alert.id, (None, None))
    points = None if its is None else its.series.points
    title = clean_text(alert.series)
    if series is not None:
        place = f"{series.scenario} {series.phase} on {series.host}"
        title = f"{METRICS[series.metric].title} of {series.subject}: {_change(alert)}, {place}"
    return AlertEntry(
        id=alert.id,
        state=alert.state,
        reason=clean_text(alert.reason),
        worse=alert.worse,
        series=clean_text(alert.series),
        data=None if chart is None else chart.path,
        host=None if series is None else slug_of(series.host),
        subject=None if series is None else slug_of(series.subject),
        scenario=None if series is None else slug_of(series.scenario),
        phase=None if series is None else series.phase,
        metric=None if series is None else series.metric,
        title=title,
        session=clean_text(alert.session),
        t=_time(alert),
        ratio=alert.ratio,
        low=alert.low,
        high=alert.high,
        cause=() if its is None or points is None else cause(points[its.before_index], points[its.index]),
        command=command,
        why_not=why_not,
        page=_PAGE
        if series is None
        else trend_page(series.host, series.subject, series.scenario, series.phase, series.metric),
    )


def _change(alert: Alert) -> str:
    """Return `6.3 % more`: which of two alerts of one series it is."""
    return change(math.log(alert.ratio)) if alert.ratio > 0 else "changed"


def _time(alert: Alert) -> int:
    try:
        return seconds(str(alert.t))
    except Hostile:
        return 0


def newest_first(file: AlertsFile) -> Iterator[AlertEntry]:
    """Yield all of them by time alone."""
    yield from sorted((*file.open, *file.closed), key=lambda one: (-one.t, one.id))
