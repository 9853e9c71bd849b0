"""Makes the document of the alerts page from the alerts that history knows."""

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
from .trends import Chart, Trends, differences

_PAGE = "alerts/"


def alerts_file(trends: Trends, simulated: bool) -> AlertsFile:
    """Return all alerts that history knows, each with what a reader can do about it."""
    charts = {chart.series.id: chart for chart in trends.charts}
    commands = {candidate.alert: (candidate.command, candidate.reason) for candidate in trends.analysis.candidates}
    changes_by_series: dict[str, list[FoundChange]] = {}
    for found_change in trends.analysis.changes:
        changes_by_series.setdefault(found_change.series.id, []).append(found_change)
    entries = [
        _entry(alert, charts.get(alert.series), changes_by_series.get(alert.series, []), commands)
        for alert in trends.analysis.alerts
    ]
    entries.sort(key=lambda entry: (-entry.t, entry.id))
    return AlertsFile(
        simulated=simulated,
        open=tuple(entry for entry in entries if entry.state in UNSOLVED),
        closed=tuple(entry for entry in entries if entry.state not in UNSOLVED),
    )


def _entry(
    alert: Alert,
    chart: Chart | None,
    found_changes: list[FoundChange],
    commands: Mapping[str, tuple[str | None, str | None]],
) -> AlertEntry:
    series = None if chart is None else chart.series
    found_change = change_of(alert, found_changes)
    command, why_not = commands.get(alert.id, (None, None))
    points = None if found_change is None else found_change.series.points
    title = clean_text(alert.series)
    if series is not None:
        place = f"{series.scenario} {series.phase} on {series.host}"
        # The size of the change tells two alerts of one series apart.
        title = f"{METRICS[series.metric].title} of {series.subject}: {change(math.log(alert.ratio))}, {place}"
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
        cause=()
        if found_change is None or points is None
        else differences(points[found_change.before_index].labels, points[found_change.index].labels),
        command=command,
        why_not=why_not,
        page=_PAGE
        if series is None
        else trend_page(series.host, series.subject, series.scenario, series.phase, series.metric),
    )


def _time(alert: Alert) -> int:
    try:
        return seconds(str(alert.t))
    except Hostile:
        return 0


def newest_first(file: AlertsFile) -> Iterator[AlertEntry]:
    """Yield the alerts, open and closed ones together, newest first."""
    yield from sorted((*file.open, *file.closed), key=lambda entry: (-entry.t, entry.id))
