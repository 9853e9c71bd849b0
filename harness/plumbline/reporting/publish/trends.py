"""All charts: series of the sessions with their segments, annotations and changes, from one analysis of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from plumbline.archive.history.alerts import UNSOLVED, Alert, ratios
from plumbline.archive.history.analysis import SeriesAnalysis, analyse, change_of
from plumbline.archive.history.points import Point
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
from .table import WORDS, Nightly, Shown

# Older points lie in files of so many; the newest file has this many to twice as many, 10 to 12 kB compressed.
PART_POINTS = 500
# Relative height of the y axis at the least: twice the scatter of a decent host, so that noise looks like noise.
MIN_RANGE = 0.1

File = tuple[str, Document]
"""Path and content."""


@dataclass(frozen=True)
class Chart:
    """A series with what charts show of it besides; `t` is by session, `shown` in parallel to the points."""

    series: FigureSeries
    segments: tuple[SeriesSegment, ...]
    shown: Shown
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
        """Return points as they are shown."""
        points, shown = self.series.points, self.shown
        at, sessions = points.columns.at[start:end], points.nights.session
        # Made of what was checked before: to check it again takes longer than all the rest.
        return Columns.model_construct(
            t=tuple([self.t[place] for place in at]),
            session=tuple([sessions[place] for place in at]),
            value=tuple(shown.value[start:end]),
            ratio=tuple([None if ratio < 0 else ratio for ratio in shown.ratio[start:end]]),
            half=tuple([None if half < 0 else half for half in shown.half[start:end]]),
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
        waiting: dict[str, int] = {}
        for alert in self.analysis.alerts:
            if alert.state in UNSOLVED:
                waiting[alert.series] = waiting.get(alert.series, 0) + 1
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
                open_alerts=waiting.get(chart.series.id, 0),
                badge=chart.badge,
            )
            for chart in self.charts
            for last in (chart.columns(len(chart.series.points) - 1, len(chart.series.points)),)
        )

    def files(self, where: Mapping[tuple[str, str], str], gaps: Gaps) -> Iterator[File]:
        """Yield every file of every chart. `where` puts (scenario, phase) in words, `gaps` are nights without point."""
        found: dict[str, list[FoundChange]] = {}
        for one in self.analysis.found:
            found.setdefault(one.series.id, []).append(one)
        alerts: dict[str, list[Alert]] = {}
        for alert in self.analysis.alerts:
            alerts.setdefault(alert.series, []).append(alert)
        for chart in self.charts:
            id_ = chart.series.id
            yield from self._files(
                chart,
                found.get(id_, ()),
                alerts.get(id_, ()),
                where.get((chart.series.scenario, chart.series.phase), chart.series.phase),
                gaps.of(chart.series),
            )

    def _files(
        self,
        chart: Chart,
        found: Sequence[FoundChange],
        alerts: Sequence[Alert],
        where: str,
        gaps: Sequence[Refused],
    ) -> Iterator[File]:
        series, count = chart.series, len(chart.series.points)
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
                    simulated=newest.simulated, id=series.id, first=first, columns=chart.columns(first, end)
                ),
            )
        metric = METRICS[series.metric]
        unit = unit_of(metric.unit, ())
        whole = SeriesFile(
            simulated=newest.simulated,
            id=series.id,
            host=slug_of(series.host),
            subject=slug_of(series.subject),
            scenario=slug_of(series.scenario),
            phase=series.phase,
            metric=series.metric,
            title=metric.title,
            where=where,
            symbol=unit.symbol,
            per=unit.per,
            better=metric.better,
            sound=metric.sound_on_small or newest.host_class != "small",
            min_range=MIN_RANGE,
            points=count,
            first=start,
            columns=chart.columns(start, count),
            older=tuple(parts),
            refused=tuple(gap for gap in gaps if gap.t >= chart.time(start)),
            segments=tuple(_segments(chart)),
            annotations=tuple(_annotations(chart)),
            changes=tuple(_change(one, chart, alerts) for one in found),
        )
        yield chart.path, whole


def trends(digests: Sequence[Digest], nightly: Nightly, known: Sequence[Alert]) -> Trends:
    """Return all charts of the sessions, which are in the order of time, and so in `nightly`; `known` are alerts."""
    seen = analyse(nightly.table.series(), known, {})
    charts = []
    stems: set[str] = set()
    for series, segments in zip(seen.series, seen.segments, strict=True):
        key = (series.host, series.subject, series.scenario, series.phase, series.metric)
        stem = series_stem(*key)
        # Two names may meet in one slug (open@80% and open-80p); the second keeps a name of its own.
        while stem in stems:
            stem += "-2"
        stems.add(stem)
        charts.append(Chart(series, segments, nightly.shown[key], nightly.t, stem))
    return Trends(seen, tuple(charts), digests)


def cause(before: Point, after: Point) -> tuple[Difference, ...]:
    """Return the labels that differ between two points: framework, JDK, flags."""
    return differences(before.labels, after.labels)


def differences(before: Mapping[str, str], after: Mapping[str, str]) -> tuple[Difference, ...]:
    """Return the differences between two sets of named words; names are for people."""
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
        yield Annotation(index=index, t=chart.time(index), changes=cause(points[index - 1], points[index]))


def _change(one: FoundChange, chart: Chart, alerts: Sequence[Alert]) -> ChangePoint:
    before, after = one.series.points[one.before_index], one.series.points[one.index]
    ratio, low, high = ratios(one)
    its = next((alert for alert in alerts if change_of(alert, [one]) is not None), None)
    return ChangePoint(
        index=one.index,
        t=chart.time(one.index),
        session=after.session,
        ratio=ratio,
        low=low,
        high=high,
        p=rounded(one.change.p),
        worse=one.worse,
        against_control=one.against_control,
        of_control=one.series.control,
        back=one.back,
        commits=(before.commit, after.commit),
        cause=cause(before, after),
        life=None if its is None else Life(alert=its.id, state=its.state, reason=clean_text(its.reason)),
    )
