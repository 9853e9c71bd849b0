"""Levels: where each subject stands by one metric in the newest segment of its series, and since when."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from plumbline.model.data_access import TITLES
from plumbline.model.errors import UsageError
from plumbline.subjects.catalog.catalog import selects
from plumbline.subjects.catalog.reading import nearest
from plumbline.verdicts.stats.interval import Interval, t_interval
from plumbline.verdicts.stats.wording import ratio
from .analysis import SeriesAnalysis
from .points import Point, Words, differing
from .series import FigureSeries, FoundChange, SeriesSegment

_CLASSES = tuple(TITLES)


@dataclass(frozen=True)
class Level:
    """The newest level of a series: its sessions since the last change of the newest segment, or since that began.

    `value` is the geometric mean of the sessions with its interval, in the unit of the metric; `of_control` that of
    their ratios to the control, None where there is no control. `change` began the level, None where the segment
    did; `differs` then names the components of the environment that began the segment, none for the first one.
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

    `rows` are by class, then the best first; `control` is that of the sessions. `elsewhere` were last measured in an
    older environment. `until` is the newest session of the group.
    """

    host: str
    scenario: str
    phase: str
    until: Point
    rows: tuple[Level, ...]
    control: Level | None
    elsewhere: tuple[Level, ...]


def levels(seen: SeriesAnalysis) -> tuple[LevelGroup, ...]:
    """Return the levels of all series of an analysis, which are of one metric, by host, scenario and phase."""
    changes: dict[str, list[FoundChange]] = {}
    for change in seen.found:
        changes.setdefault(change.series.id, []).append(change)
    found = [
        _level(one, parts, changes.get(one.id, ()))
        for one, parts in zip(seen.series, seen.segments, strict=True)
    ]
    found.sort(key=_place)
    return tuple(_group(list(its)) for _, its in groupby(found, _place))


def narrowed(
    groups: Sequence[LevelGroup], only: Sequence[str], scenarios: Sequence[str]
) -> tuple[LevelGroup, ...]:
    """Return the groups of some scenarios, and of their rows those that match one of the globs `only`; all of them for
    none. A group without such a row is left out. Raises UsageError for a name or a glob that matches nothing.
    """
    known = {_name(its) for its in groups}
    for name in scenarios:
        if name not in known:
            raise UsageError(f"These sessions have no scenario '{name}'.", nearest(name, known))
    groups = tuple(its for its in groups if not scenarios or _name(its) in scenarios)
    if not only:
        return groups
    subjects = {one.series.subject for its in groups for one in (*its.rows, *its.elsewhere)}
    for glob in only:
        if not any(selects(glob, id_) for id_ in subjects):
            names = [name for id_ in subjects for name in (id_, id_.partition("/")[0])]
            raise UsageError(
                f"No subject of these sessions matches '{glob}'.",
                nearest(glob, names, "Without --only the command lists all of them."),
            )
    kept = (
        replace(its, rows=_matching(its.rows, only), elsewhere=_matching(its.elsewhere, only))
        for its in groups
    )
    return tuple(its for its in kept if its.rows or its.elsewhere)


def _name(group: LevelGroup) -> str:
    """Return the name of a scenario without its version."""
    return group.scenario.partition("@")[0]


def _matching(its: Sequence[Level], only: Sequence[str]) -> tuple[Level, ...]:
    return tuple(one for one in its if any(selects(glob, one.series.subject) for glob in only))


def _level(series: FigureSeries, parts: Sequence[SeriesSegment], changes: Sequence[FoundChange]) -> Level:
    """Return the level of the segment with the newest point; `changes` are those of the series."""
    number = max(range(len(parts)), key=lambda one: parts[one].indices[-1])
    part = parts[number]
    change = next((one for one in reversed(changes) if one.index in part.indices), None)
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
    its = t_interval(logs)
    low, high = (None if end is None else ratio(end) for end in (its.low, its.high))
    return replace(its, mean=ratio(its.mean), low=low, high=high)


def _place(level: Level) -> tuple[str, str, str]:
    return level.series.host, level.series.scenario, level.series.phase


def _group(its: Sequence[Level]) -> LevelGroup:
    newest = max(its, key=_measured)
    here = [one for one in its if one.environment == newest.environment]
    rows = [one for one in here if not one.series.control]
    against_control = all(one.of_control is not None for one in rows)
    host, scenario, phase = _place(newest)
    return LevelGroup(
        host=host,
        scenario=scenario,
        phase=phase,
        until=newest.until,
        rows=tuple(sorted(rows, key=lambda one: _order(one, against_control))),
        # One control an environment: its artifact is part of it.
        control=next((one for one in here if one.series.control), None),
        elsewhere=tuple(one for one in its if one.environment != newest.environment),
    )


def _measured(level: Level) -> int:
    """Return the place of the newest session among all sessions."""
    return level.series.points.columns.at[-1]


def _order(level: Level, against_control: bool) -> tuple[int, float, str]:
    """Return the class, then the better level first, by its ratio to the control where every row has one."""
    its = level.of_control if against_control and level.of_control is not None else level.value
    sign = -1 if level.series.better == "higher" else 1
    return _CLASSES.index(level.series.data_access), sign * its.mean, level.series.subject
