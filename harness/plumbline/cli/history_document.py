"""Write the answer of `./bench history`: as one JSON document, as lines for people, or as a table of one metric."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from textwrap import wrap
from typing import Any

from rich.console import Console
from rich.text import Text

from plumbline.archive.history.alerts import UNSOLVED, ratios
from plumbline.archive.history.analysis import SeriesAnalysis
from plumbline.archive.history.levels import Level, LevelGroup
from plumbline.archive.history.noise import PROMISED, EqualSides
from plumbline.archive.history.points import Point, differing
from plumbline.archive.history.series import FigureSeries, FoundChange, SeriesSegment
from plumbline.model.data_access import TITLES
from plumbline.model.subject import Subject
from plumbline.reporting.report.parts.clean import clean_text
from plumbline.reporting.report.parts.naming import (
    DisplayUnit,
    plain_number,
    short_name,
    signed,
    unit_of,
    with_interval,
)
from plumbline.reporting.report.terminal import printed_text
from plumbline.verdicts.figures.metrics import METRICS
from plumbline.verdicts.figures.series import rounded
from plumbline.verdicts.judge.wording import counted, percent
from plumbline.verdicts.stats.amounts import largest_change
from plumbline.verdicts.stats.interval import Interval


def document(result: SeriesAnalysis, equal_sides: EqualSides | None, unreadable: Sequence[str]) -> dict[str, Any]:
    """Return the whole analysis as one JSON document.

    `equal_sides` is the rate at which equal sides were told apart (None without such a session), `unreadable` are the
    records left out. `index` counts the points of a series from 0; ratios are of the new level over the old level.
    """
    return {
        "series": [_series(series, segments) for series, segments in zip(result.series, result.segments, strict=True)],
        "changes": [_change(change) for change in result.changes],
        "alerts": [alert.model_dump(mode="json") for alert in result.alerts],
        "candidates": [
            {"alert": candidate.alert, "command": candidate.command, "reason": candidate.reason}
            for candidate in result.candidates
        ],
        "equal_sides": None
        if equal_sides is None
        else {
            "sessions": equal_sides.sessions,
            "flagged": list(equal_sides.flagged),
            "rate": rounded(equal_sides.rate),
            "interval": [rounded(equal_sides.low), rounded(equal_sides.high)],
            "promised": PROMISED,
        },
        "unreadable": list(unreadable),
    }


def levels_document(metric: str, groups: Sequence[LevelGroup], unreadable: Sequence[str]) -> dict[str, Any]:
    """Return where each subject stands by a metric as one JSON document; `unreadable` are the records left out."""
    definition = METRICS[metric]
    return {
        "metric": metric,
        "title": definition.title,
        "unit": definition.unit,
        "better": definition.better,
        "groups": [
            {
                "host": group.host,
                "scenario": group.scenario,
                "phase": group.phase,
                "until": {"t": group.until.t, "session": group.until.session},
                "levels": [_level(row) for row in group.rows],
                "control": None if group.control is None else _level(group.control),
                "elsewhere": [_level(row) for row in group.elsewhere],
            }
            for group in groups
        ],
        "unreadable": list(unreadable),
    }


def lines(result: SeriesAnalysis, sides: EqualSides | None) -> Iterator[str]:
    """Yield lines for people: changes, alerts that wait for somebody, and the commands that confirm the alerts."""
    sessions = {series.points.nights.session[place] for series in result.series for place in series.points.columns.at}
    changes = counted(len(result.changes), "change")
    yield f"{len(result.series)} series of {counted(len(sessions), 'session')}, {changes}."
    for change in result.changes:
        _, low, high = ratios(change)
        word = {True: "worse", False: "better", None: "changed"}[change.worse]
        reference = "to the control" if change.against_control else "as measured"
        interval = f"{signed(low)} to {signed(high)}"
        yield f"  {change.series.points[change.index].t}  {change.series.id}"
        yield f"      {word} by {largest_change([change.change.difference])} ({interval}, {reference})"
        for label in _labels(change.series.points[change.before_index], change.series.points[change.index]):
            yield f"      with {label['label']}: {label['from']} -> {label['to']}"
    for alert in result.alerts:
        if alert.state in UNSOLVED:
            yield f"Alert {alert.id} ({alert.state}: {alert.reason}): {alert.series} since {alert.t}."
    for candidate in result.candidates:
        yield f"  confirm {candidate.alert}: {candidate.command or candidate.reason}"
    if sides is not None:
        yield (
            f"Equal sides (A/A): {len(sides.flagged)} of {counted(sides.sessions, 'session')} called them faster or "
            f"slower: {percent(sides.rate)}, 95 % interval {percent(sides.low)} to {percent(sides.high)}; promised "
            f"{percent(PROMISED)}."
        )


def _series(series: FigureSeries, parts: Sequence[SeriesSegment]) -> dict[str, Any]:
    return {
        "id": series.id,
        "subject": series.subject or None,
        "scenario": series.scenario or None,
        "phase": series.phase or None,
        "metric": series.metric or None,
        "host": series.host or None,
        "points": len(series.points),
        "segments": [
            {
                "first_index": part.indices[0],
                "points": len(part.indices),
                "against_control": part.against_control,
                "differs": list(differing(parts[number - 1].environment, part.environment)) if number else [],
            }
            for number, part in enumerate(parts)
        ],
        "annotations": [
            {"index": index, "t": series.points[index].t, **label}
            for index in series.points.turns()
            for label in _labels(series.points[index - 1], series.points[index])
        ],
    }


def _level(level: Level) -> dict[str, Any]:
    since, until = level.since, level.until
    return {
        "subject": level.series.subject,
        "class": level.series.data_access,
        "sessions": level.sessions,
        **_interval(level.value),
        "of_control": None if level.of_control is None else _interval(level.of_control),
        "since": {"t": since.t, "session": since.session, "commit": since.commit},
        "until": {"t": until.t, "session": until.session, "commit": until.commit},
        "change": None if level.change is None else _change(level.change),
        "differs": list(level.differs),
    }


def _interval(interval: Interval) -> dict[str, Any]:
    ends = None if interval.low is None or interval.high is None else [rounded(interval.low), rounded(interval.high)]
    return {"value": rounded(interval.mean), "interval": ends, "confidence": interval.confidence}


def _change(change: FoundChange) -> dict[str, Any]:
    before, after = change.series.points[change.before_index], change.series.points[change.index]
    ratio, low, high = ratios(change)
    return {
        "series": change.series.id,
        "index": change.index,
        "t": after.t,
        "session": after.session,
        "ratio": ratio,
        "interval": [low, high],
        "p": rounded(change.change.p),
        "worse": change.worse,
        "against_control": change.against_control,
        "of_control": change.series.control,
        "commits": [before.commit, after.commit],
        "labels": _labels(before, after),
    }


def _labels(before: Point, after: Point) -> list[dict[str, str | None]]:
    if before.labels == after.labels:
        return []
    return [
        {"label": name, "from": before.labels.get(name), "to": after.labels.get(name)}
        for name in differing(before.labels, after.labels)
    ]


_GAP = "  "
_COMMIT = 8
# The last column is never narrower than this: its text could not be read in less space.
_LEAST_LAST = 14
_LEGEND = (
    "Each value is the mean of all sessions since that day, with its 95 % interval. What was new then is found by the "
    "ratio to the control. The list is no ranking: `./bench compare A B` decides between two subjects."
)


def levels_table(metric: str, groups: Sequence[LevelGroup], width: int, colour: bool) -> str:
    """Return a table for each host, scenario and phase, in at most `width` columns: a row a subject, by class."""
    return printed_text(lambda console: _print(console, metric, groups), width, colour)


def _print(console: Console, metric: str, groups: Sequence[LevelGroup]) -> None:
    definition = METRICS[metric]
    unit = unit_of(definition.unit, [row.value.mean for group in groups for row in (*group.rows, *group.elsewhere)])
    console.print(Text(f"{definition.title}, in {unit.symbol}: {definition.better or 'lower'} is better.", "bold"))
    for group in groups:
        console.print()
        heading = clean_text(f"{group.scenario}, phase {group.phase}, on {group.host}")
        console.print(Text.assemble((heading, "bold"), f": newest session of {_day(group.until.t)}"))
        for line in _lines(group, unit, console.width):
            console.print(line)
    console.print()
    console.print(Text(_LEGEND))


def _lines(group: LevelGroup, unit: DisplayUnit, width: int) -> Iterator[Text]:
    """Yield the heads, the rows below the title of their class, the control, and the subjects that are left out."""
    levels = [*group.rows, *((group.control,) if group.control else ())]
    rows = {level.series.id: _cells(level, group, unit) for level in levels}
    heads = ("  subject", unit.symbol, "× control", "since", "commit", "what was new")
    sizes = [max(len(row[place]) for row in (heads, *rows.values())) for place in range(len(heads) - 1)]
    if rows:
        yield from _row(heads, sizes, width, "dim")
    for access, levels_of_class in groupby(group.rows, lambda row: row.series.data_access):
        yield Text(TITLES[access], "italic")
        for level in levels_of_class:
            yield from _row(rows[level.series.id], sizes, width)
    if group.control is not None:
        yield from _row(rows[group.control.series.id], sizes, width, "dim")
    for level in group.elsewhere:
        id_, day = clean_text(level.series.subject), _day(level.until.t)
        yield Text(f"Left out: {id_}, last measured on {day}, when the host was in another state.", "dim")


def _row(cells: Sequence[str], sizes: Sequence[int], width: int, style: str = "") -> Iterator[Text]:
    """Yield a row; a name that leaves too little room stands on a line of its own, the last cell goes on below."""
    name, *figure_cells = (cell.ljust(size) for cell, size in zip(cells, sizes, strict=False))
    figures = _GAP.join(("", *figure_cells, ""))
    if width - len(name) - len(figures) < _LEAST_LAST:
        yield Text(name.rstrip(), style)
        name = _GAP
    first_line, *further_lines = wrap(cells[-1], max(width - len(name) - len(figures), _LEAST_LAST))
    yield Text(f"{name}{figures}{first_line}", style)
    yield from (Text(" " * len(name + figures) + line, style) for line in further_lines)


def _cells(level: Level, group: LevelGroup, unit: DisplayUnit) -> tuple[str, ...]:
    id_, value = level.series.subject, level.value
    subject = Subject.try_parse(id_)
    name = clean_text(id_) if subject is None else short_name(subject)
    low, high = (None if end is None else end / unit.per for end in (value.low, value.high))
    return (
        "The control" if level is group.control else f"{_GAP}{name}",
        with_interval(value.mean / unit.per, low, high),
        "" if level.of_control is None else plain_number(level.of_control.mean),
        _day(level.since.t),
        (level.since.commit or "")[:_COMMIT],
        _began_and_last_seen(level, group),
    )


def _began_and_last_seen(level: Level, group: LevelGroup) -> str:
    """Return what began the level, and the day of its newest session where the group has a newer one."""
    last_day = _day(level.until.t)
    return _beginning(level) + ("" if last_day == _day(group.until.t) else f"; last on {last_day}")


def _beginning(level: Level) -> str:
    change = level.change
    if change is not None:
        word = {True: "worse", False: "better", None: "changed"}[change.worse]
        return f"{word} by {largest_change([change.change.difference])}"
    if level.differs:
        first, *others = (name.replace("_", " ") for name in level.differs)
        return f"other {first}" + (f" and {len(others)} more" if others else "")
    return "first measured"


def _day(t: str | float) -> str:
    return clean_text(str(t))[:10]
