"""Where each subject stands by one metric, and since when, as people read it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from textwrap import wrap

from rich.console import Console
from rich.text import Text

from plumbline.figures.metrics import METRICS
from plumbline.history.levels import Level, LevelGroup
from plumbline.model.data_access import TITLES
from plumbline.model.subject import Subject
from plumbline.report.parts.clean import clean_text
from plumbline.report.parts.naming import DisplayUnit, plain, short_names, unit_of, with_interval
from plumbline.report.terminal import framed
from plumbline.stats.amounts import farthest

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
    better = {"lower": "less", "higher": "more"}[its.better or "lower"]
    console.print(Text(f"{its.title}, in {unit.symbol}: {better} is better.", "bold"))
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
