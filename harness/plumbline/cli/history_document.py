"""Write the answer of `./bench history`: as one JSON document, as lines for people, or as a table of one metric."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
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
    plain,
    short_names,
    signed,
    unit_of,
    with_interval,
)
from plumbline.reporting.report.terminal import framed
from plumbline.verdicts.figures.metrics import METRICS
from plumbline.verdicts.figures.series import rounded
from plumbline.verdicts.judge.wording import counted, percent
from plumbline.verdicts.stats.amounts import farthest
from plumbline.verdicts.stats.interval import Interval


def document(seen: SeriesAnalysis, equal: EqualSides | None, unreadable: Sequence[str]) -> dict[str, Any]:
    """Return the whole analysis as one JSON document.

    `equal` is the rate at which equal sides were told apart (None without such a session), `unreadable` are the
    records left out. `index` counts the points of a series from 0; ratios are of the new level over the old level.
    """
    return {
        "series": [_series(one, its) for one, its in zip(seen.series, seen.segments, strict=True)],
        "changes": [_change(one) for one in seen.found],
        "alerts": [alert.model_dump(mode="json") for alert in seen.alerts],
        "candidates": [
            {"alert": one.alert, "command": one.command, "reason": one.reason} for one in seen.candidates
        ],
        "equal_sides": None
        if equal is None
        else {
            "sessions": equal.sessions,
            "flagged": list(equal.flagged),
            "rate": rounded(equal.rate),
            "interval": [rounded(equal.low), rounded(equal.high)],
            "promised": PROMISED,
        },
        "unreadable": list(unreadable),
    }


def levels_document(metric: str, groups: Sequence[LevelGroup], unreadable: Sequence[str]) -> dict[str, Any]:
    """Return where each subject stands by a metric as one JSON document; `unreadable` are the records left out."""
    its = METRICS[metric]
    return {
        "metric": metric,
        "title": its.title,
        "unit": its.unit,
        "better": its.better,
        "groups": [
            {
                "host": one.host,
                "scenario": one.scenario,
                "phase": one.phase,
                "until": {"t": one.until.t, "session": one.until.session},
                "levels": [_level(row) for row in one.rows],
                "control": None if one.control is None else _level(one.control),
                "elsewhere": [_level(row) for row in one.elsewhere],
            }
            for one in groups
        ],
        "unreadable": list(unreadable),
    }


def lines(seen: SeriesAnalysis, equal: EqualSides | None) -> Iterator[str]:
    """Yield lines for people: changes, alerts that wait for somebody, and the commands that confirm them."""
    sessions = {one.points.nights.session[at] for one in seen.series for at in one.points.columns.at}
    yield f"{len(seen.series)} series of {counted(len(sessions), 'session')}, {counted(len(seen.found), 'change')}."
    for one in seen.found:
        _, low, high = ratios(one)
        word = {True: "worse", False: "better", None: "changed"}[one.worse]
        base = "to the control" if one.against_control else "as measured"
        interval = f"{signed(low)} to {signed(high)}"
        yield f"  {one.series.points[one.index].t}  {one.series.id}"
        yield f"      {word} by {farthest([one.change.difference])} ({interval}, {base})"
        for label in _labels(one.series.points[one.before_index], one.series.points[one.index]):
            yield f"      with {label['label']}: {label['from']} -> {label['to']}"
    for alert in seen.alerts:
        if alert.state in UNSOLVED:
            yield f"Alert {alert.id} ({alert.state}: {alert.reason}): {alert.series} since {alert.t}."
    for candidate in seen.candidates:
        yield f"  confirm {candidate.alert}: {candidate.command or candidate.reason}"
    if equal is not None:
        yield (
            f"Equal sides (A/A): {len(equal.flagged)} of {counted(equal.sessions, 'session')} called them faster or "
            f"slower: {percent(equal.rate)}, 95 % interval {percent(equal.low)} to {percent(equal.high)}; promised "
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


def _interval(its: Interval) -> dict[str, Any]:
    ends = None if its.low is None or its.high is None else [rounded(its.low), rounded(its.high)]
    return {"value": rounded(its.mean), "interval": ends, "confidence": its.confidence}


def _change(found: FoundChange) -> dict[str, Any]:
    before, after = found.series.points[found.before_index], found.series.points[found.index]
    ratio, low, high = ratios(found)
    return {
        "series": found.series.id,
        "index": found.index,
        "t": after.t,
        "session": after.session,
        "ratio": ratio,
        "interval": [low, high],
        "p": rounded(found.change.p),
        "worse": found.worse,
        "against_control": found.against_control,
        "of_control": found.series.control,
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
# The last column is not made narrower: what stands in it could not be read.
_LEAST_LAST = 14
_LEGEND = (
    "Each value is the mean of all sessions since that day, with its 95 % interval. What was new then is found by the "
    "ratio to the control. The list is no ranking: `./bench compare A B` decides between two subjects."
)


def levels_table(metric: str, groups: Sequence[LevelGroup], width: int, colour: bool) -> str:
    """Return a table for each host, scenario and phase, in at most `width` columns: a row a subject, by class."""
    return framed(lambda console: _print(console, metric, groups), width, colour)


def _print(console: Console, metric: str, groups: Sequence[LevelGroup]) -> None:
    its = METRICS[metric]
    unit = unit_of(its.unit, [row.value.mean for one in groups for row in (*one.rows, *one.elsewhere)])
    console.print(Text(f"{its.title}, in {unit.symbol}: {its.better or 'lower'} is better.", "bold"))
    for one in groups:
        console.print()
        where = clean_text(f"{one.scenario}, phase {one.phase}, on {one.host}")
        console.print(Text.assemble((where, "bold"), f": newest session of {_day(one.until.t)}"))
        for line in _lines(one, unit, console.width):
            console.print(line)
    console.print()
    console.print(Text(_LEGEND))


def _lines(group: LevelGroup, unit: DisplayUnit, width: int) -> Iterator[Text]:
    """Yield the heads, the rows below the title of their class, the control, and what can't be set beside them."""
    everybody = [*group.rows, *((group.control,) if group.control else ())]
    names = _names(group.rows)
    rows = {level.series.id: _cells(level, names, group, unit) for level in everybody}
    heads = ("  subject", unit.symbol, "× control", "since", "commit", "what was new")
    sizes = [max(len(row[place]) for row in (heads, *rows.values())) for place in range(len(heads) - 1)]
    if rows:
        yield from _row(heads, sizes, width, "dim")
    for access, its in groupby(group.rows, lambda row: row.series.data_access):
        yield Text(TITLES[access], "italic")
        for level in its:
            yield from _row(rows[level.series.id], sizes, width)
    if group.control is not None:
        yield from _row(rows[group.control.series.id], sizes, width, "dim")
    for level in group.elsewhere:
        id_, day = clean_text(level.series.subject), _day(level.until.t)
        yield Text(f"Left out: {id_}, last measured on {day}, when the host was in another state.", "dim")


def _row(cells: Sequence[str], sizes: Sequence[int], width: int, style: str = "") -> Iterator[Text]:
    """Yield a row; a name that leaves no room for the rest stands on a line of its own, the last cell goes on below."""
    name, *rest = (cell.ljust(size) for cell, size in zip(cells, sizes, strict=False))
    figures = _GAP.join(("", *rest, ""))
    if width - len(name) - len(figures) < _LEAST_LAST:
        yield Text(name.rstrip(), style)
        name = _GAP
    first, *more = wrap(cells[-1], max(width - len(name) - len(figures), _LEAST_LAST))
    yield Text(f"{name}{figures}{first}", style)
    yield from (Text(" " * len(name + figures) + line, style) for line in more)


def _names(levels: Sequence[Level]) -> Mapping[str, str]:
    subjects = {level.series.subject: Subject.try_parse(level.series.subject) for level in levels}
    return short_names({id_: its for id_, its in subjects.items() if its is not None})


def _cells(level: Level, names: Mapping[str, str], group: LevelGroup, unit: DisplayUnit) -> tuple[str, ...]:
    id_, value = level.series.subject, level.value
    low, high = (None if end is None else end / unit.per for end in (value.low, value.high))
    return (
        "The control" if level is group.control else f"{_GAP}{clean_text(names.get(id_, id_))}",
        with_interval(value.mean / unit.per, low, high),
        "" if level.of_control is None else plain(level.of_control.mean),
        _day(level.since.t),
        (level.since.commit or "")[:_COMMIT],
        _began(level, group),
    )


def _began(level: Level, group: LevelGroup) -> str:
    """Return what began the level, and the day of its newest session where that is an earlier one."""
    last = _day(level.until.t)
    return _beginning(level) + ("" if last == _day(group.until.t) else f"; last on {last}")


def _beginning(level: Level) -> str:
    change = level.change
    if change is not None:
        word = {True: "worse", False: "better", None: "changed"}[change.worse]
        return f"{word} by {farthest([change.change.difference])}"
    if level.differs:
        first, *rest = (name.replace("_", " ") for name in level.differs)
        return f"other {first}" + (f" and {len(rest)} more" if rest else "")
    return "first measured"


def _day(t: str | float) -> str:
    return clean_text(str(t))[:10]
