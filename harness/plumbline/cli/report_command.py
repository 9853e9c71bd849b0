"""`./bench report [RECORD]`."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import click

from .console import ROOT, json_option, print_json, say


@click.command(epilog="Example: ./bench report results/local/20261121T070000Z-lab1-0a1b2c")
@click.argument("record", required=False)
@click.option(
    "--output",
    type=click.Path(file_okay=False, path_type=Path),
    help="Where to; the record's folder when left out.",
)
@json_option
def command(record: str | None, output: Path | None, as_json: bool) -> None:
    """The report of a record again: terminal table, report.md and report.html. The newest when none is named."""
    from plumbline.record.read import read_session
    from plumbline.report import write
    from plumbline.report.terminal import render
    from plumbline.run.local import find_record

    folder = find_record(ROOT / "results" / "local", record)
    found, evidence = read_session(folder)
    target = output or folder
    target.mkdir(parents=True, exist_ok=True)
    written = write(found, evidence, target)
    if as_json:
        print_json({"report": str(written.html), "report_markdown": str(written.markdown)})
        return
    click.echo(
        render(found, evidence, shutil.get_terminal_size((100, 24)).columns, colour=sys.stdout.isatty())
    )
    say(f"Report: {written.html}")
