"""`./bench check-variant NAME`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from .console import ROOT, app_option, json_option, print_json, say

if TYPE_CHECKING:
    from plumbline.catalog.variant import Variant
    from plumbline.run.workshop import Workshop

# More sentences of one part say no more.
_MOST = 12
# name of the part, subject (None: of the whole variant), what falls short
Row = tuple[str, str | None, tuple[str, ...]]


@click.command(epilog="Example: ./bench check-variant shop --app ~/services/shop")
@click.argument("name")
@app_option
@json_option
def command(name: str, apps: tuple[Path, ...], as_json: bool) -> int:
    """Build a variant, hold it to the contract, put five seconds of load on it; say what falls short.

    On each engine that it declares, plainly and with TLS where it has it. Exit status 1: something falls short.
    """
    from plumbline.run.workshop import open_workshop

    workshop = open_workshop(ROOT, apps, say)
    variant = workshop.catalog.variant(name)
    rows = [_marks(variant), _build(workshop, variant)]
    if not rows[-1][2]:
        for engine in variant.spec.engines:
            rows += _on(workshop, variant, engine)
    holds = not any(said for _, _, said in rows)
    if as_json:
        parts = [{"part": part, "subject": subject, "falls_short": said} for part, subject, said in rows]
        print_json({"variant": name, "holds": holds, "parts": parts})
    else:
        click.echo("\n".join(_lines(rows)))
    return 0 if holds else 1


def _marks(variant: Variant) -> Row:
    from plumbline.catalog.new_variant import MARK, marks_left

    left = marks_left(variant.folder)
    places = ", ".join(f"{path.relative_to(variant.folder)}:{number}" for path, number, _ in left)
    said = f"The word {MARK} still stands in {variant.id}/ at {places}."
    return "places to write", None, (said,) if left else ()


def _build(workshop: Workshop, variant: Variant) -> Row:
    from plumbline.build.builder import BuildFailed

    for engine in variant.spec.engines:
        subject = workshop.catalog.subject(f"{variant.id}/{next(iter(variant.spec.packaging))}/{engine}")
        try:
            workshop.builder().build(subject)
        except BuildFailed as error:
            return "build", None, (f"{error.problem} {error.next_step}".strip(),)
    return "build", None, ()


def _on(workshop: Workshop, variant: Variant, engine: str) -> list[Row]:
    from plumbline.held.whole import held, subjects_on
    from plumbline.run.opening import stage_for_now

    subjects = subjects_on(variant, engine)
    rows: list[Row] = []
    with stage_for_now(workshop, "check", subjects) as stage:
        for subject in subjects:
            for part in held(stage, workshop, subject):
                say(f"{subject}: {part.name} {_verdict(part.said)}")
                rows.append((part.name, subject, part.said))
    return rows


def _lines(rows: Sequence[Row]) -> list[str]:
    lines: list[str] = []
    shown: str | None = None
    for part, subject, said in rows:
        if subject is not None and subject != shown:
            lines.append(subject)
            shown = subject
        indent = "" if subject is None else "  "
        lines.append(f"{indent}{part:{20 - len(indent)}}{_verdict(said)}")
        lines += [f"{indent}  {sentence}" for sentence in said[:_MOST]]
        if len(said) > _MOST:
            lines.append(f"{indent}  … and {len(said) - _MOST} more")
    return lines


def _verdict(said: tuple[str, ...]) -> str:
    return "falls short" if said else "holds"
