"""All charts: series of the sessions with their segments, annotations and changes, from history's one look."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from plumbline.figures.metrics import METRICS
from plumbline.figures.rounding import rounded
from plumbline.history.alerts import SAME_WITHIN, Alert, ratios
from plumbline.history.collect import series_of
from plumbline.history.look import Look, look
from plumbline.history.memory import Memory
from plumbline.history.series import Found, Point, Segment, Series
from plumbline.model.finding import Verdict
from plumbline.report.parts.clean import clean_text
from plumbline.report.parts.numbers import unit_of
from .addresses import API, series_stem
from .digest import Digest
from .model.base import Document
from .model.series import (
    Annotation,
    ChangePoint,
    Columns,
    Difference,
    Life,
    Part,
    Refused,
    SeriesFile,
    SeriesPart,
)
from .model.series import Segment as SegmentEntry
from .model.site import SeriesEntry
from .safe import slug_of

# Older points lie in files of so many; the newest file has this many to twice as many, 10 to 12 kB compressed.
PART_POINTS = 500
# Relative height of the y axis at the least: twice the scatter of a decent host, so that noise looks like noise.
MIN_RANGE = 0.1
UNSOLVED = ("open", "confirmed")


@dataclass
class Chart:
    """A series with its points as they are shown, in parallel to `series.points`."""

    series: Series
    segments: tuple[Segment, ...]
    t: list[int]
    session: list[str]
    value: list[float]
    ratio: list[float | None]
    half: list[float | None]
    verdict: list[Verdict]
    stem: str

    @property
    def path(self) -> str:
        """Where its file lies."""
        return f"{API}/series/{self.stem}.json"

    @property
    def badge(self) -> str:
        """Where its badge lies."""
        return f"badges/{self.stem}.svg"


@dataclass(frozen=True)
class Trends:
    """What the look found. `charts` are in the order of `look.series`."""

    look: Look
    charts: tuple[Chart, ...]
    by_session: Mapping[str, Digest]

    def entries(self) -> tuple[SeriesEntry, ...]:
        """The index of all charts."""
        waiting: dict[str, int] = {}
        for alert in self.look.alerts:
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
                points=len(chart.t),
                last_t=chart.t[-1],
                last_value=chart.value[-1],
                last_ratio=chart.ratio[-1],
                open_alerts=waiting.get(chart.series.id, 0),
                badge=chart.badge,
            )
            for chart in self.charts
        )

    def files(
        self, where: Mapping[tuple[str, str], str], gaps: Mapping[tuple[str, str, str], Sequence[Refused]]
    ) -> Iterator[tuple[str, Document]]:
        """Every file of every chart. `where` puts (scenario, phase) in words; `gaps` by host, subject, scenario."""
        found: dict[str, list[Found]] = {}
        for one in self.look.found:
            found.setdefault(one.series.id, []).append(one)
        alerts: dict[str, list[Alert]] = {}
        for alert in self.look.alerts:
            alerts.setdefault(alert.series, []).append(alert)
        for chart in self.charts:
            id_ = chart.series.id
            yield from self._files(
                chart,
                found.get(id_, ()),
                alerts.get(id_, ()),
                where.get((chart.series.scenario, chart.series.phase), chart.series.phase),
                gaps.get((chart.series.host, chart.series.subject, chart.series.scenario), ()),
            )

    def _files(
        self,
        chart: Chart,
        found: Sequence[Found],
        alerts: Sequence[Alert],
        where: str,
        gaps: Sequence[Refused],
    ) -> Iterator[tuple[str, Document]]:
        series, count = chart.series, len(chart.t)
        simulated = any(self.by_session[name].simulated for name in (chart.session[0], chart.session[-1]))
        start = max(0, (count // PART_POINTS - 1) * PART_POINTS)
        parts = []
        for first in range(0, start, PART_POINTS):
            path = f"{API}/series/{chart.stem}/{first // PART_POINTS}.json"
            end = first + PART_POINTS
            parts.append(
                Part(path=path, first=first, points=PART_POINTS, from_t=chart.t[first], to_t=chart.t[end - 1])
            )
            yield (
                path,
                SeriesPart(
                    simulated=simulated, id=series.id, first=first, columns=_columns(chart, first, end)
                ),
            )
        metric = METRICS[series.metric]
        unit = unit_of(metric.unit, ())
        yield (
            chart.path,
            SeriesFile(
                simulated=simulated,
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
                sound=metric.sound_on_small or self.by_session[chart.session[-1]].host_class != "small",
                min_range=MIN_RANGE,
                points=count,
                first=start,
                columns=_columns(chart, start, count),
                older=tuple(parts),
                refused=tuple(gap for gap in gaps if gap.t >= chart.t[start]),
                segments=tuple(_segments(chart)),
                annotations=tuple(_annotations(chart)),
                changes=tuple(_change(one, chart, alerts) for one in found),
            ),
        )


def trends(digests: Sequence[Digest], known: Sequence[Alert], memory: Memory) -> Trends:
    """All charts of the sessions, which are in the order of time; `known` is the ledger of alerts."""
    seen = look(series_of(one.extract for one in digests), known, {}, memory)
    rows: dict[tuple[str, str, str, str, str], Chart] = {}
    charts = []
    stems: set[str] = set()
    for series, segments in zip(seen.series, seen.segments, strict=True):
        key = (series.host, series.subject, series.scenario, series.phase, series.metric)
        stem = series_stem(*key)
        # Two names may meet in one slug (open@80% and open-80p); the second keeps a name of its own.
        while stem in stems:
            stem += "-2"
        stems.add(stem)
        chart = rows[key] = Chart(series, segments, [], [], [], [], [], [], stem)
        charts.append(chart)
    for one in digests:
        for subject, scenarios in one.rows.items():
            verdicts = one.worst[subject]
            for scenario, phases in scenarios.items():
                verdict = verdicts[scenario]
                for phase, metrics in phases.items():
                    for metric, (value, ratio, half) in metrics.items():
                        chart = rows[one.host, subject, scenario, phase, metric]
                        chart.t.append(one.t)
                        chart.session.append(one.session)
                        chart.value.append(value)
                        chart.ratio.append(ratio)
                        chart.half.append(half)
                        chart.verdict.append(verdict)
    return Trends(seen, tuple(charts), {one.session: one for one in digests})


def gaps_of(digests: Sequence[Digest]) -> dict[tuple[str, str, str], list[Refused]]:
    """Sessions in which all trials of a subject in a scenario were refused, by host, subject and scenario."""
    found: dict[tuple[str, str, str], list[Refused]] = {}
    for one in digests:
        for subject, scenarios in one.gaps.items():
            for scenario, reason in scenarios.items():
                found.setdefault((one.host, subject, scenario), []).append(
                    Refused(t=one.t, session=one.session, reason=reason)
                )
    return found


def of_alert(alert: Alert, found: Sequence[Found]) -> Found | None:
    """The change that an alert is about, as it stands."""
    for one in found:
        if (one.change.ratio > 1) == (alert.ratio > 1):
            near = one.series.points[max(0, one.index - SAME_WITHIN) : one.index + SAME_WITHIN + 1]
            if any(point.session == alert.session for point in near):
                return one
    return None


def cause(before: Point, after: Point) -> tuple[Difference, ...]:
    """What of the things measured was other between two points."""
    return differences(before.labels, after.labels)


def differences(before: Mapping[str, str], after: Mapping[str, str]) -> tuple[Difference, ...]:
    """What differs between two sets of named words."""
    if before is after or before == after:
        return ()
    return tuple(
        Difference(name=name, before=before.get(name), after=after.get(name))
        for name in sorted({*before, *after})
        if before.get(name) != after.get(name)
    )


def _columns(chart: Chart, start: int, end: int) -> Columns:
    return Columns(
        t=tuple(chart.t[start:end]),
        session=tuple(chart.session[start:end]),
        value=tuple(chart.value[start:end]),
        ratio=tuple(chart.ratio[start:end]),
        half=tuple(chart.half[start:end]),
        verdict=tuple(chart.verdict[start:end]),
    )


def _segments(chart: Chart) -> Iterator[SegmentEntry]:
    before: Mapping[str, str] | None = None
    for segment in chart.segments:
        if not segment.indices:
            continue
        yield SegmentEntry(
            first=segment.indices[0],
            t=chart.t[segment.indices[0]],
            points=len(segment.indices),
            against_control=segment.against_control,
            differs=() if before is None else differences(before, segment.environment),
        )
        before = segment.environment


def _annotations(chart: Chart) -> Iterator[Annotation]:
    points = chart.series.points
    before = points[0].labels
    for index, point in enumerate(points):
        labels = point.labels
        if labels is not before:
            if changes := differences(before, labels):
                yield Annotation(index=index, t=chart.t[index], changes=changes)
            before = labels


def _change(one: Found, chart: Chart, alerts: Sequence[Alert]) -> ChangePoint:
    points = one.series.points
    ratio, low, high = ratios(one)
    its = next((alert for alert in alerts if of_alert(alert, [one]) is not None), None)
    return ChangePoint(
        index=one.index,
        t=chart.t[one.index],
        session=chart.session[one.index],
        ratio=ratio,
        low=low,
        high=high,
        p=rounded(one.change.p),
        worse=one.worse,
        against_control=one.against_control,
        of_control=one.series.control,
        back=one.back,
        commits=(points[one.before_index].commit, points[one.index].commit),
        cause=cause(points[one.before_index], points[one.index]),
        life=None if its is None else Life(alert=its.id, state=its.state, reason=clean_text(its.reason)),
    )
