"""What commands share: the checkout, words to standard error, JSON to standard output."""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path
from typing import Any

import click

from . import completing

ROOT = Path(__file__).resolve().parents[3]

json_option = click.option("--json", "as_json", is_flag=True, help="One JSON document on standard output.")


def _parts(context: click.Context, parameter: click.Parameter, given: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(part for text in given for part in text.replace(",", " ").split())


only_option = click.option(
    "--only",
    multiple=True,
    metavar="GLOB[,GLOB]",
    callback=_parts,
    shell_complete=completing.subjects,
    help="Only subjects that match. May be repeated.",
)
scenario_option = click.option(
    "--scenario",
    "scenarios",
    multiple=True,
    metavar="NAME[,NAME]",
    callback=_parts,
    shell_complete=completing.scenarios,
    help="Only these scenarios of the suite. May be repeated.",
)
night_option = click.option(
    "--night",
    type=click.DateTime(["%Y-%m-%d"]),
    help="The night whose part of a suite's rotation is measured; today's in UTC when left out.",
)


def _to_four_digits(context: click.Context, parameter: click.Parameter, given: float) -> float:
    return round(given, 4)


scale_option = click.option(
    "--scale",
    type=click.FloatRange(0.01, 1.0),
    default=1.0,
    show_default=True,
    metavar="SHARE",
    callback=_to_four_digits,
    help="Run the suite at this share of its times, batches and blocks, on a small machine. Its numbers are never"
    " set beside those of another scale.",
)
prove_option = click.option(
    "--prove",
    is_flag=True,
    help="Add trials at the end that prove who limits: other CPUs (R2), twice the connections (R6). They count as no"
    " replicates.",
)
app_option = click.option(
    "--app",
    "apps",
    multiple=True,
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="A variant outside the tree: a folder with variant.toml. May be repeated.",
)


def say(text: str) -> None:
    """A line for people, on standard error, so that standard output stays one document."""
    click.echo(text, err=True)


def columns() -> int:
    """How wide the terminal is; 100 where there is none."""
    return shutil.get_terminal_size((100, 24)).columns


def colour() -> bool:
    """Whether standard output takes colours: a terminal whose user did not set NO_COLOR (https://no-color.org)."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")


def print_json(document: Any) -> None:
    """One JSON document on standard output."""
    sys.stdout.write(json.dumps(document, indent=1, ensure_ascii=False) + "\n")


def duration(seconds: float) -> str:
    """Seconds for people: `45 s`, `7 min`, `1 h 05 min`."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60:02d} min"
