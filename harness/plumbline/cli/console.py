"""Helpers that all commands share: the checkout, messages to standard error, JSON to standard output."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from plumbline.model.text import printable

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    from plumbline.machine.host.paths import Paths
    from plumbline.measuring.run.finish import FinishedSession

ROOT = Path(__file__).resolve().parents[3]

json_option = click.option("--json", "as_json", is_flag=True, help="One JSON document on standard output.")


app_option = click.option(
    "--app",
    "apps",
    multiple=True,
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="A variant outside the tree: a folder with variant.toml. May be repeated.",
)


Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


def options_as(name: str, kind: type[DataclassInstance], options: Sequence[Decorator]) -> Decorator:
    """Return the decorator that gives a command one option for each field of `kind`; the command takes them together,
    as one argument of that name.
    """

    def with_options(function: Callable[..., Any]) -> Callable[..., Any]:
        def command(**values: Any) -> Any:
            chosen = kind(**{field.name: values.pop(field.name) for field in fields(kind)})
            return function(**{name: chosen}, **values)

        decorated: Callable[..., Any] = wraps(function)(command)
        for option in reversed(options):
            decorated = option(decorated)
        return decorated

    return with_options


def say(text: str, *, err: bool = True) -> None:
    """Print a line for people, on standard error by default, so that standard output stays one document.

    The line may hold words of a record or of a log, which may be hostile.
    """
    click.echo(printable(text), err=err)


def columns() -> int:
    """Return the width of the terminal; 100 where there is no terminal."""
    return shutil.get_terminal_size((100, 24)).columns


def colour() -> bool:
    """Tell whether standard output takes colours: a terminal without NO_COLOR (https://no-color.org)."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")


def path_in_checkout(folder: Path) -> str:
    """Return a folder's path as a command of the checkout names it: relative where the folder lies in the checkout."""
    place = folder.resolve()
    return str(place.relative_to(ROOT) if place.is_relative_to(ROOT) else place)


def user_paths() -> Paths:
    """Return the folders that the program uses for this user."""
    from plumbline.machine.host.paths import Paths

    return Paths.of(os.environ, ROOT, os.geteuid())


def print_json(document: Any) -> None:
    """Print one JSON document on standard output, in ASCII: a name of a file may hold what no terminal should get."""
    sys.stdout.write(json.dumps(document, indent=1) + "\n")


def report_session(finished: FinishedSession, document: Mapping[str, Any] | None, *closing_lines: str) -> None:
    """Write the report of a session beside its record, and show it: as `document` and paths in JSON, else as text."""
    from plumbline.reporting.report import write
    from plumbline.reporting.report.terminal import render

    folder, record = path_in_checkout(finished.folder), finished.folder / "record.json"
    written = write(finished.record, finished.evidence, finished.folder, folder)
    if document is None:
        click.echo(render(finished.record, finished.evidence, columns(), colour(), folder))
    else:
        paths = {"record": record, "report": written.html, "report_markdown": written.markdown}
        texts = {name: str(path) for name, path in paths.items()}
        print_json({"session": finished.record.plan.session, **document, **texts})
    for line in (*closing_lines, f"Report: {written.html}", f"Record: {record}"):
        say(line)


def duration(seconds: float) -> str:
    """Return seconds as text: `45 s`, `7 min`, `1 h 05 min`."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60:02d} min"
