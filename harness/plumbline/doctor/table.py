"""The diagnosis for a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

import click

from plumbline.model.host import Condition
from .diagnosis import Diagnosis

_SECTIONS = {"any": "To measure at all", "lab": "To measure as a lab", "extra": "Told besides"}
_COLOURS = {"fit": "green", "unfit": "red", "unknown": "yellow", "n/a": None}
_VERDICT_COLUMNS = 9
_NARROWEST_READING = 24


def render(diagnosis: Diagnosis, columns: int, *, colour: bool, why: bool = False) -> str:
    """Return verdict, id, and title with reading, in `columns`; below, whole, the command that mends it.

    `why` adds to each condition what goes wrong without it.
    """
    lines = [f"{diagnosis.host} is {diagnosis.host_class}: {diagnosis.why_class}"]
    id_columns = max(len(condition.id) for condition in diagnosis.conditions) + 2
    for needed_for, heading in _SECTIONS.items():
        conditions = [c for c in diagnosis.conditions if c.needed_for == needed_for]
        if conditions:
            lines += ["", click.style(heading, bold=True) if colour else heading]
            for condition in conditions:
                lines += _rows(condition, id_columns, columns, colour, why)
    return "\n".join([*lines, "", *textwrap.wrap(diagnosis.summary, columns)])


def _rows(condition: Condition, id_columns: int, columns: int, colour: bool, why: bool) -> Iterator[str]:
    verdict = f"{condition.verdict:{_VERDICT_COLUMNS}}"
    if colour:
        verdict = click.style(verdict, fg=_COLOURS[condition.verdict])
    indent = " " * (2 + _VERDICT_COLUMNS + id_columns)
    width = max(_NARROWEST_READING, columns - len(indent))
    paragraphs = [condition.said, *([condition.why] if why else [])]
    # Addresses and paths are never cut, nor is a command: they are there to be copied.
    text = [
        line
        for paragraph in paragraphs
        for line in textwrap.wrap(paragraph, width, break_long_words=False, break_on_hyphens=False)
    ]
    yield f"  {verdict}{condition.id:{id_columns}}{text[0]}"
    yield from (indent + line for line in text[1:])
    if condition.command is not None:
        yield f"{' ' * (2 + _VERDICT_COLUMNS)}$ {condition.command}"
