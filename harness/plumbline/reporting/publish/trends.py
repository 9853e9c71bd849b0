"""Makes all charts: series of the sessions with segments, annotations and changes, from one analysis of all series."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from plumbline.archive.history.alerts import UNSOLVED, Alert, ratios
from plumbline.archive.history.analysis import SeriesAnalysis, analyse, change_of
from plumbline.archive.history.series import FigureSeries, FoundChange, SeriesSegment
from plumbline.model.subject import slug_of
from plumbline.reporting.report.parts.clean import clean_text
from plumbline.reporting.report.parts.naming import unit_of
from plumbline.verdicts.figures.metrics import METRICS
from plumbline.verdicts.figures.series import rounded
from .addresses import API, series_stem
from .digest import Digest
from .gaps import Gaps
from .model.base import Document
from .model.series import (
    Annotation,
    ChangePoint,
    Columns,
    Difference,
    Life,
    Part,
    Refused,
    Segment,
    SeriesFile,
    SeriesPart,
)
from .model.site import SeriesEntry
from .table import WORDS, ChartColumns, Nightly

# Older points lie in files of this many each; the newest file has this many to twice as many, 10 to 12 kB compressed.
PART_POINTS = 500
# The least relative height of the y axis: twice the scatter of a decent host, so that noise looks like noise.
MIN_RANGE = 0.1

File = tuple[str, Document]
"""The path and the content of a file."""


@dataclass(frozen=True)
class Chart:
    """A series with the values that only charts show; `t` is by session, `shown` is in parallel to the points."""

    series: FigureSeries
    segments: tuple[SeriesSegment, ...]
    shown: ChartColumns
    t: Sequence[int]
    stem: str

    @property
    def path(self) -> str:
        """The path of the chart's file."""
        return f"{API}/series/{self.stem}.json"

    @property
    def badge(self) -> str:
        """The path of the chart's badge."""
        return f"badges/{self.stem}.svg"

    def time(self, index: int) -> int:
        """Return the time at which a point was measured."""
        return self.t[self.series.points.columns.at[index]]

    def columns(self, start: int, end: int) -> Columns:
        """Return the points from `start` to before `end` as charts show them."""
        points, shown = self.series.points, self.shown
        nights, sessions = points.columns.at[start:end], points.nights.session
        # The values were checked before; to check them again would take longer than all other work here.
        return Columns.model_construct(
            t=tuple([self.t[night] for night in nights]),
            session=tuple([sessions[night] for night in nights]),
            value=tuple(shown.value[start:end]),
            ratio=tuple([None if ratio < 0 else ratio for ratio in shown.ratio[start:end]]),
            half=tuple([None if half < 0 else half for half in shown.half[start:end]]),
            ratio_half=tuple([None if half < 0 else half for half in shown.ratio_half[start:end]]),
            verdict=tuple([WORDS[word] for word in shown.verdict[start:end]]),
        )


@dataclass(frozen=True)
class Trends:
    """The result of the analysis of all series. `charts` are in the order of `analysis.series`."""

    analysis: SeriesAnalysis
    charts: tuple[Chart, ...]
    digests: Sequence[Digest]

    def entries(self) -> tuple[SeriesEntry, ...]:
        """Return the index of all charts."""
        open_alerts: dict[str, int] = {}
        for alert in self.analysis.alerts:
            if alert.state in UNSOLVED:
                open_alerts[alert.series] = open_alerts.get(alert.series, 0) + 1
        return tuple(
            SeriesEntry(
                id=chart.series.id,
                path=chart.path,
                host=slug_of(chart.series.host),
                subject=slug_of(chart.series.subject),
                scenario=slug_of(chart.series.scenario),
                phase=chart.series.phase,
                metric=chart.series.metric,
                points=len(chart.series.points),
                last_t=chart.time(-1),
                last_value=last.value[0],
                last_ratio=last.ratio[0],
                open_alerts=open_alerts.get(chart.series.id, 0),
                badge=chart.badge,
            )
            for chart in self.charts
            for last in (chart.columns(len(chart.series.points) - 1, len(chart.series.points)),)
        )

    def phase_words(self, chart: Chart) -> str:
        """Return the phase of a chart in the words of its newest session: hosts give a phase other connections."""
        series = chart.series
        phases = self.digests[series.points.columns.at[-1]].phases.get(series.scenario, ())
        return next((where for name, _, where in phases if name == series.phase), series.phase)

    def files(self, gaps: Gaps) -> Iterator[File]:
        """Yield all files of all charts. `gaps` has the nights without a point."""
        changes_by_series: dict[str, list[FoundChange]] = {}
        for found_change in self.analysis.changes:
            changes_by_series.setdefault(found_change.series.id, []).append(found_change)
        alerts: dict[str, list[Alert]] = {}
        # A change near to several alerts is that of an unsolved one.
        for alert in sorted(self.analysis.alerts, key=lambda alert: alert.state not in UNSOLVED):
            alerts.setdefault(alert.series, []).append(alert)
        for chart in self.charts:
            id_ = chart.series.id
            yield from self._files(
                chart,
                changes_by_series.get(id_, ()),
                alerts.get(id_, ()),
                gaps.of(chart.series),
            )

    def _files(
        self,
        chart: Chart,
        found_changes: Sequence[FoundChange],
        alerts: Sequence[Alert],
        gaps: Sequence[Refused],
    ) -> Iterator[File]:
        series, count = chart.series, len(chart.series.points)

        def gaps_before(index: int) -> int:
            return bisect_left(gaps, chart.time(index), key=lambda gap: gap.t)

        newest = self.digests[series.points.columns.at[-1]]
        start = max(0, (count // PART_POINTS - 1) * PART_POINTS)
        parts = []
        for first in range(0, start, PART_POINTS):
            path = f"{API}/series/{chart.stem}/{first // PART_POINTS}.json"
            end = first + PART_POINTS
            parts.append(
                Part(
                    path=path,
                    first=first,
                    points=PART_POINTS,
                    from_t=chart.time(first),
                    to_t=chart.time(end - 1),
                )
            )
            yield (
                path,
                SeriesPart(
                    simulated=newest.simulated,
                    id=series.id,
                    first=first,
                    columns=chart.columns(first, end),
                    refused=tuple(gaps[gaps_before(first) : gaps_before(end)]),
                ),
            )
        metric = METRICS[series.metric]
        unit = unit_of(metric.unit, ())
        series_file = SeriesFile(
            simulated=newest.simulated,
            id=series.id,
            host=slug_of(series.host),
            subject=slug_of(series.subject),
            scenario=slug_of(series.scenario),
            phase=series.phase,
            metric=series.metric,
            title=metric.title,
            where=self.phase_words(chart),
            symbol=unit.symbol,
            per=unit.per,
            better=metric.better,
            sound=metric.sound_on_small or newest.host_class != "small",
            min_range=MIN_RANGE,
            points=count,
            first=start,
            columns=chart.columns(start, count),
            older=tuple(parts),
            refused=tuple(gaps[gaps_before(start) :]),
            segments=tuple(_segments(chart)),
            annotations=tuple(_annotations(chart)),
            turns=tuple(_turns(chart)),
            changes=tuple(_change_point(found_change, chart, alerts) for found_change in found_changes),
        )
        yield chart.path, series_file


def trends(digests: Sequence[Digest], nightly: Nightly, known_alerts: Sequence[Alert]) -> Trends:
    """Return all charts of the sessions. `digests` and `nightly` are both in the order of time."""
    analysis = analyse(nightly.table.series(), known_alerts, {})
    charts = []
    stems: set[str] = set()
    for series, segments in zip(analysis.series, analysis.segments, strict=True):
        key = (series.host, series.subject, series.scenario, series.phase, series.metric)
        stem = series_stem(*key)
        # Two names may have the same slug (open@80% and open-80p); the second then gets a stem of its own.
        while stem in stems:
            stem += "-2"
        stems.add(stem)
        charts.append(Chart(series, segments, nightly.shown[key], nightly.t, stem))
    return Trends(analysis, tuple(charts), digests)


def differences(before: Mapping[str, str], after: Mapping[str, str]) -> tuple[Difference, ...]:
    """Return the differences between two mappings of name to word; the names in the result are for people."""
    if before is after or before == after:
        return ()
    return tuple(
        Difference(name=name.replace("_", " "), before=before.get(name), after=after.get(name))
        for name in sorted({*before, *after})
        if before.get(name) != after.get(name)
    )


def _segments(chart: Chart) -> Iterator[Segment]:
    before: Mapping[str, str] | None = None
    for segment in chart.segments:
        yield Segment(
            first=segment.indices[0],
            t=chart.time(segment.indices[0]),
            points=len(segment.indices),
            against_control=segment.against_control,
            differs=() if before is None else differences(before, segment.environment),
        )
        before = segment.environment


def _annotations(chart: Chart) -> Iterator[Annotation]:
    points = chart.series.points
    for index in points.turns():
        changes = differences(points[index - 1].labels, points[index].labels)
        yield Annotation(index=index, t=chart.time(index), changes=changes)


def _turns(chart: Chart) -> Iterator[Annotation]:
    points = chart.series.points
    for index in points.environment_turns():
        changes = differences(points[index - 1].environment, points[index].environment)
        yield Annotation(index=index, t=chart.time(index), changes=changes)


def _change_point(found_change: FoundChange, chart: Chart, alerts: Sequence[Alert]) -> ChangePoint:
    before, after = (
        found_change.series.points[found_change.before_index],
        found_change.series.points[found_change.index],
    )
    ratio, low, high = ratios(found_change)
    alert_of_change = next((alert for alert in alerts if change_of(alert, [found_change]) is not None), None)
    return ChangePoint(
        index=found_change.index,
        t=chart.time(found_change.index),
        session=after.session,
        ratio=ratio,
        low=low,
        high=high,
        p=rounded(found_change.change.p),
        worse=found_change.worse,
        against_control=found_change.against_control,
        of_control=found_change.series.control,
        back=found_change.back,
        commits=(before.commit, after.commit),
        cause=differences(before.labels, after.labels),
        life=None
        if alert_of_change is None
        else Life(alert=alert_of_change.id, state=alert_of_change.state, reason=clean_text(alert_of_change.reason)),
    )
