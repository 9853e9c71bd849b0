"""A workload in a terminal: the answers, and a row for each subject, by class, with the most important figures."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from textwrap import wrap

from rich.text import Text

from .view import Row, ScenarioView, StandingsView

# Nobody reads a table with more columns than this at a glance.
_MOST_COLUMNS = 4
_GAP = 2
_HEAD = 2
_NAME = 30
_LEAST_COLUMN = 16

Height = Callable[[Iterable[Text]], int]
"""How many lines of the terminal some texts take."""


def scenario_lines(scenario: ScenarioView, width: int, height: Height, room: int) -> list[Text] | None:
    """Return the lines of a workload, in at most `room` lines of the terminal; None if the answer alone takes more."""
    tables = [table for table in scenario.claims if not table.warming_up]
    title = Text.assemble((scenario.id, "bold"), f"  {scenario.operation}")
    if tables:
        title.append(f"  {scenario.heading}", "dim")
    lines = [title, *_answers(tables[:1], width)]
    if scenario.unsteady:
        lines.append(Text(f"  {_unsteady_sentence(scenario)}", "yellow"))
    if not tables:
        lines += [Text(f"  {scenario.claims[0].sentence}")] if scenario.claims and not scenario.unsteady else []
    if height(lines) > room:
        return None
    for table in tables[1:_MOST_COLUMNS]:
        paragraphs = [*_answers((table,), width)]
        if table.sentence != tables[0].sentence and height((*lines, *paragraphs)) + _table_height(tables) <= room:
            lines += paragraphs
    return [*lines, *_table(tables[:_MOST_COLUMNS], width, room - height(lines))]


def _answers(tables: Iterable[StandingsView], width: int) -> Iterable[Text]:
    """Yield a paragraph for each metric; its later lines are indented further than the name of the metric."""
    for table in tables:
        name = f"  {table.title} {table.where}: "
        lines = wrap(f"{name}{table.sentence}", width, subsequent_indent="    ", break_on_hyphens=False)
        text = Text("\n".join(lines))
        text.stylize("bold", 0, len(name))
        yield text


def _unsteady_sentence(scenario: ScenarioView) -> str:
    titles = ", ".join(dict.fromkeys(table.title.partition(" while ")[0] for table in scenario.unsteady))
    return f"{titles}: no order. {scenario.steady}"


def _table_height(tables: Sequence[StandingsView]) -> int:
    if not tables:
        return 0
    return _HEAD + 1 + len(tables[0].rows) + sum(bool(group.title) for group in tables[0].groups)


def _table(tables: Sequence[StandingsView], width: int, room: int) -> Iterable[Text]:
    """Yield a header and a row for each subject, the rank before the figure; rows that do not fit are counted."""
    if not tables or room < _HEAD + 2:
        return
    fitting = max(1, (width - _NAME) // (_LEAST_COLUMN + _GAP))
    shown = tables[:fitting]
    cells = {
        (column, row.name.id): _cell(row)
        for column, table in enumerate(shown)
        for row in (*table.rows, *((table.control,) if table.control else ()))
    }
    widths = [
        min(
            max([len(text) for (cell_column, _), text in cells.items() if cell_column == column] + [_LEAST_COLUMN]),
            width // 3,
        )
        for column in range(len(shown))
    ]
    while len(shown) > 1 and _NAME + sum(size + _GAP for size in widths) > width:
        shown, widths = shown[:-1], widths[:-1]
    heads = [wrap(f"{table.title}, {table.unit}", size)[:_HEAD] for table, size in zip(shown, widths, strict=True)]
    for line_number in range(max(map(len, heads))):
        texts = (_cut((head + [""] * _HEAD)[line_number], size) for head, size in zip(heads, widths, strict=True))
        yield Text((" " * _NAME + "".join(" " * _GAP + text for text in texts)).rstrip(), "dim")
    rows = [*_row_labels(shown)]
    for place, (name, id_, style) in enumerate(rows):
        if place >= room - _HEAD - 1 and len(rows) > room - _HEAD:
            yield Text(f"  and {len(rows) - place} more rows: see the report.", "dim")
            return
        texts = (" " * _GAP + _cut(cells.get((column, id_), ""), size) for column, size in enumerate(widths))
        yield Text((_cut(name, _NAME) + "".join(texts)).rstrip(), style)


def _row_labels(tables: Sequence[StandingsView]) -> Iterable[tuple[str, str, str]]:
    """Yield the name, id and style of each row: the titles of classes are rows too, and the control comes last."""
    for group in tables[0].groups:
        if group.title:
            yield f"  {group.title}", "", "italic"
        for row in group.rows:
            yield f"    {row.name.short}", row.name.id, ""
    if any(table.control is not None for table in tables):
        control = next(table.control for table in tables if table.control is not None)
        yield f"    {control.name.short}", control.name.id, "dim"


def _cell(row: Row) -> str:
    if row.warming_up:
        return f"warming up: {row.text}"
    rank = "   " if row.rank is None else f"{row.rank}{'=' if row.tied else ' '} "
    return f"{rank}{row.text}"


def _cut(text: str, size: int) -> str:
    return (text if len(text) <= size else f"{text[: size - 1]}…").ljust(size)
