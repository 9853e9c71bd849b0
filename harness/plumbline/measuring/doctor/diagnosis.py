"""Makes one diagnosis of all conditions of a host, and shows it as a table."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

import click

from plumbline.model.base import Frozen
from plumbline.model.host import Condition, HostClass


class Diagnosis(Frozen):
    """The diagnosis of a host: `fit` asks for all that measuring needs, `lab_ready` for all that a lab needs as well.

    `examined_at` is in UTC, as everywhere: `2026-11-21T20:46:48Z`.
    """

    examined_at: str
    host: str
    host_class: HostClass
    why_class: str
    fit: bool
    lab_ready: bool
    summary: str
    conditions: tuple[Condition, ...]


def diagnose(
    *,
    examined_at: str,
    host: str,
    host_class: HostClass,
    why_class: str,
    conditions: tuple[Condition, ...],
    are_all: bool = True,
) -> Diagnosis:
    """Return the overall verdict: no condition for any measurement may be unfit; for a lab all must be met and known.

    An extra condition counts for neither. Unless the conditions `are_all` of a host, they can't show that it is a lab.
    """
    missing = [
        condition.said for condition in conditions if condition.needed_for == "any" and condition.verdict == "unfit"
    ]
    needed = [condition for condition in conditions if condition.needed_for != "extra"]
    unmet = [condition.said for condition in needed if condition.verdict == "unfit"]
    unread = [condition.said for condition in needed if condition.verdict == "unknown"]
    lab_ready = are_all and host_class == "lab" and not unmet and not unread
    if missing:
        summary = f"Not fit to measure: {'; '.join(missing)}."
    elif not are_all:
        summary = "Other conditions were not looked at."
    elif lab_ready:
        summary = "Fit to measure as lab: every condition is met."
    elif host_class == "lab":
        lacking = [
            f"{word}: {'; '.join(readings)}"
            for word, readings in (("not met", unmet), ("not known", unread))
            if readings
        ]
        summary = f"Fit to measure, but short of a lab; {'; '.join(lacking)}."
    else:
        summary = f"Fit to measure as {host_class}: every result is advisory, because {why_class}."
    return Diagnosis(
        examined_at=examined_at,
        host=host,
        host_class=host_class,
        why_class=why_class,
        fit=not missing,
        lab_ready=lab_ready,
        summary=summary,
        conditions=conditions,
    )


_SECTIONS = {"any": "To measure at all", "lab": "To measure as a lab", "extra": "Only reported"}
_COLOURS = {"fit": "green", "unfit": "red", "unknown": "yellow", "n/a": None}
_VERDICT_COLUMNS = 9
_NARROWEST_READING = 24


def render(diagnosis: Diagnosis, columns: int, *, colour: bool, why: bool = False) -> str:
    """Return a table `columns` wide: verdict, id, title with reading, and below, uncut, the command that mends it.

    `why` adds to each condition what goes wrong without it.
    """
    lines = [f"{diagnosis.host} is {diagnosis.host_class}: {diagnosis.why_class}"]
    id_columns = max(len(condition.id) for condition in diagnosis.conditions) + 2
    for needed_for, heading in _SECTIONS.items():
        conditions = [condition for condition in diagnosis.conditions if condition.needed_for == needed_for]
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
    # Addresses, paths and commands are never cut: people copy them.
    text = [
        line
        for paragraph in paragraphs
        for line in textwrap.wrap(paragraph, width, break_long_words=False, break_on_hyphens=False)
    ]
    yield f"  {verdict}{condition.id:{id_columns}}{text[0]}"
    yield from (indent + line for line in text[1:])
    if condition.command is not None:
        yield f"{' ' * (2 + _VERDICT_COLUMNS)}$ {condition.command}"
