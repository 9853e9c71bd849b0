"""The report of life-cycle measurements for a terminal."""

from __future__ import annotations

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from .frame import framed
from .lifecycle_view import LifecycleView


def render_lifecycle(view: LifecycleView, width: int, colour: bool) -> str:
    """The report as text of at most `width` columns; with escape sequences only when `colour` is set."""
    return framed(lambda console: _print(console, view), width, colour)


def _print(console: Console, view: LifecycleView) -> None:
    console.print()
    console.print(Text(view.lead, "bold"))
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("")
    for subject in view.subjects:
        table.add_column(Text(subject), justify="right")
    for row in view.rows:
        table.add_row(Text(row.name), *(Text(cell) for cell in row.cells))
    console.print(Padding(table, (1, 0)))
    for sentence in (*view.notes, *view.absences, *view.problems):
        console.print(Padding(Text(sentence), (0, 0, 0, 2)))
