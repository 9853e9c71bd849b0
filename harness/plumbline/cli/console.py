"""Helpers that all commands share: the checkout, messages to standard error, JSON to standard output."""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from plumbline.host.paths import Paths

ROOT = Path(__file__).resolve().parents[3]

json_option = click.option("--json", "as_json", is_flag=True, help="One JSON document on standard output.")


app_option = click.option(
    "--app",
    "apps",
    multiple=True,
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="A variant outside the tree: a folder with variant.toml. May be repeated.",
)


def say(text: str) -> None:
    """Print a line for people on standard error, so that standard output stays one document."""
    click.echo(text, err=True)


def columns() -> int:
    """Return the width of the terminal; 100 where there is no terminal."""
    return shutil.get_terminal_size((100, 24)).columns


def colour() -> bool:
    """Tell whether standard output takes colours: a terminal without NO_COLOR (https://no-color.org)."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")


def user_paths() -> Paths:
    """Return the folders that the program uses for this user."""
    from plumbline.host.paths import Paths

    return Paths.of(os.environ, ROOT, os.geteuid())


def print_json(document: Any) -> None:
    """Print one JSON document on standard output."""
    sys.stdout.write(json.dumps(document, indent=1, ensure_ascii=False) + "\n")


def duration(seconds: float) -> str:
    """Return seconds as text: `45 s`, `7 min`, `1 h 05 min`."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60:02d} min"
