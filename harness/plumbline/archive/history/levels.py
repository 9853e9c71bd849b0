"""Levels: where each subject stands by one metric in the newest segment of its series, and since when."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from plumbline.model.data_access import TITLES
from plumbline.model.errors import UsageError
from plumbline.subjects.catalog.catalog import selects
from plumbline.subjects.catalog.reading import nearest
from plumbline.verdicts.judge.wording import counted, listed
from plumbline.verdicts.stats.interval import Interval, t_interval
from plumbline.verdicts.stats.wording import ratio
from .analysis import SeriesAnalysis
from .extract import Extract, metrics_of
from .points import Point, Words, differing
from .series import FigureSeries, FoundChange, SeriesSegment

_CLASSES = tuple(TITLES)


@dataclass(frozen=True)
class Level:
    """The newest level of a series: the sessions since the last change of the newest segment, or since its start.

    `value` is the geometric mean of the sessions with its interval, in the unit of the metric; `of_control` is that
    of their ratios to the control, None where there is no control. `change` is the change that began the level, None
    where the level began with its segment; `differs` then names the components of the environment that differ from the
    segment before, none for the first segment.
    """

    series: FigureSeries
    environment: Words
    sessions: int
    since: Point
    until: Point
    value: Interval
    of_control: Interval | None
    change: FoundChange | None
    differs: tuple[str, ...]


@dataclass(frozen=True)
class LevelGroup:
    """The levels that may be set beside each other: of one host, scenario and phase, in its newest environment.

    `rows` are sorted by class, then the best first; `control` is the level of the control. The levels of `elsewhere`
    were last measured in an older environment. `until` is the newest session of the group.
    """

    host: str
    scenario: str
    phase: str
    until: Point
    rows: tuple[Level, ...]
    control: Level | None
    elsewhere: tuple[Level, ...]


def levels(analysis: SeriesAnalysis) -> tuple[LevelGroup, ...]:
    """Return the levels of all series of an analysis, which are of one metric, by host, scenario and phase."""
    changes: dict[str, list[FoundChange]] = {}
    for change in analysis.changes:
        changes.setdefault(change.series.id, []).append(change)
    all_levels = [
        _level(figure_series, parts, changes.get(figure_series.id, ()))
        for figure_series, parts in zip(analysis.series, analysis.segments, strict=True)
    ]
    all_levels.sort(key=_place)
    return tuple(_group(list(rows)) for _, rows in groupby(all_levels, _place))


def require_metric(extracts: Sequence[Extract], metric: str) -> None:
    """Raise UsageError where none of the sessions has a value of the metric: it names the reason, and the metrics that
    the sessions have.
    """
    reasons = Counter(extracted.left_out[metric] for extracted in extracts if metric in extracted.left_out)
    if reasons.total() < len(extracts):
        return
    why = "; ".join(f"{reason} ({counted(number, 'session')})" for reason, number in reasons.most_common())
    followed = sorted({name for extracted in extracts for name in metrics_of(extracted.values)})
    raise UsageError(
        f"History has no '{metric}' of these sessions: {why}.",
        f"It has {listed(followed)}." if followed else "Name a folder with other sessions.",
    )


def narrowed(groups: Sequence[LevelGroup], only: Sequence[str], scenarios: Sequence[str]) -> tuple[LevelGroup, ...]:
    """Return the groups of the named scenarios, with the rows whose subject matches one of the globs `only`.

    Without names, or without globs, all are kept. A group without such a row is left out. Raises UsageError for a name
    or a glob that matches nothing.
    """
    names_of_scenarios = {_name(group) for group in groups}
    for name in scenarios:
        if name not in names_of_scenarios:
            raise UsageError(f"These sessions have no scenario '{name}'.", nearest(name, names_of_scenarios))
    groups = tuple(group for group in groups if not scenarios or _name(group) in scenarios)
    if not only:
        return groups
    subjects = {level.series.subject for group in groups for level in (*group.rows, *group.elsewhere)}
    for glob in only:
        if not any(selects(glob, id_) for id_ in subjects):
            names = [name for id_ in subjects for name in (id_, id_.partition("/")[0])]
            raise UsageError(
                f"No subject of these sessions matches '{glob}'.",
                nearest(glob, names, "Without --only the command lists all of them."),
            )
    kept = (
        replace(group, rows=_matching(group.rows, only), elsewhere=_matching(group.elsewhere, only)) for group in groups
    )
    return tuple(group for group in kept if group.rows or group.elsewhere)


def _name(group: LevelGroup) -> str:
    """Return the name of a scenario without its version."""
    return group.scenario.partition("@")[0]


def _matching(rows: Sequence[Level], only: Sequence[str]) -> tuple[Level, ...]:
    return tuple(level for level in rows if any(selects(glob, level.series.subject) for glob in only))


def _level(series: FigureSeries, parts: Sequence[SeriesSegment], changes: Sequence[FoundChange]) -> Level:
    """Return the level of the segment with the newest point; `changes` are those of the series."""
    number = max(range(len(parts)), key=lambda index: parts[index].indices[-1])
    part = parts[number]
    change = next((change for change in reversed(changes) if change.index in part.indices), None)
    indices = part.indices if change is None else part.indices[part.indices.index(change.index) :]
    columns = series.points.columns
    values = [math.log(columns.value[index]) for index in indices]
    before = parts[number - 1].environment if number and change is None else part.environment
    return Level(
        series=series,
        environment=part.environment,
        sessions=len(indices),
        since=series.points[indices[0]],
        until=series.points[indices[-1]],
        value=_mean(values),
        of_control=_mean(part.logs[-len(indices) :]) if part.against_control else None,
        change=change,
        differs=differing(before, part.environment),
    )


def _mean(logs: Sequence[float]) -> Interval:
    """Return the geometric mean with its interval."""
    interval = t_interval(logs)
    low, high = (None if end is None else ratio(end) for end in (interval.low, interval.high))
    return replace(interval, mean=ratio(interval.mean), low=low, high=high)


def _place(level: Level) -> tuple[str, str, str]:
    return level.series.host, level.series.scenario, level.series.phase


def _group(all_rows: Sequence[Level]) -> LevelGroup:
    newest = max(all_rows, key=lambda level: level.series.points.columns.at[-1])
    comparable = [level for level in all_rows if level.environment == newest.environment]
    rows = [level for level in comparable if not level.series.control]
    against_control = all(level.of_control is not None for level in rows)
    host, scenario, phase = _place(newest)
    return LevelGroup(
        host=host,
        scenario=scenario,
        phase=phase,
        until=newest.until,
        rows=tuple(sorted(rows, key=lambda level: _sort_key(level, against_control))),
        # An environment has one control, since the artifact of the control is one of its components.
        control=next((level for level in comparable if level.series.control), None),
        elsewhere=tuple(level for level in all_rows if level.environment != newest.environment),
    )


def _sort_key(level: Level, against_control: bool) -> tuple[int, float, str]:
    """Return the sort key: the class, then the better level first, by the ratio to the control if all have one."""
    interval = level.of_control if against_control and level.of_control is not None else level.value
    sign = -1 if level.series.better == "higher" else 1
    return _CLASSES.index(level.series.data_access), sign * interval.mean, level.series.subject
