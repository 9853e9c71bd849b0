"""`./bench report [RECORD]...`."""

from __future__ import annotations

from pathlib import Path

import click

from plumbline.model.errors import UsageError
from . import completing
from .console import ROOT, colour, columns, json_option, path_in_checkout, print_json, say
from .selecting import refuse_other_options

BEGIN, END = "<!-- measured -->", "<!-- /measured -->"


@click.command(
    epilog="Example: ./bench report results/local/20261121T070000Z-lab1-0a1b2c --study-into docs/studies/000.md"
)
@click.argument("records", metavar="[RECORD]...", nargs=-1, shell_complete=completing.sessions)
@click.option(
    "--output",
    type=click.Path(file_okay=False, path_type=Path),
    help="The folder to write to; the record's folder when left out.",
)
@click.option(
    "--study-into",
    "page",
    type=click.Path(dir_okay=False, path_type=Path),
    help=f"Instead: put what was measured beside the study into a Markdown page, between {BEGIN} and {END}.",
)
@json_option
def command(records: tuple[str, ...], output: Path | None, page: Path | None, as_json: bool) -> None:
    """Show the report of a record again, and write report.md and report.html. The newest record is taken when none
    is named.

    Each of several records is written into its own folder; a page about a study takes them one after another.
    """
    from plumbline.archive.record.gate import opened
    from plumbline.measuring.run.local import find_record
    from plumbline.reporting.report import write
    from plumbline.reporting.report.terminal import render

    if page is not None:
        refuse_other_options({"records", "page"}, "--study-into writes a page")
    folders = [find_record(ROOT / "results" / "local", record) for record in records or (None,)]
    if page is not None:
        _write_into_page(page, folders)
        return
    if output is not None and len(folders) > 1:
        raise UsageError("--output takes the report of one record.", "Name one, or leave --output out.")
    documents = []
    for folder in folders:
        stored, evidence = opened(folder, say)
        target = output or folder
        target.mkdir(parents=True, exist_ok=True)
        written = write(stored, evidence, target, path_in_checkout(folder))
        documents.append({"report": str(written.html), "report_markdown": str(written.markdown)})
        if not as_json:
            click.echo(render(stored, evidence, columns(), colour(), path_in_checkout(folder)))
            say(f"Report: {written.html}")
    if as_json:
        print_json(documents[0] if len(documents) == 1 else documents)


def _write_into_page(page: Path, folders: list[Path]) -> None:
    """Write the measured part of a page about a study again from these records."""
    from plumbline.archive.record.gate import opened
    from plumbline.reporting.report.compose import compose
    from plumbline.reporting.report.markdown_text import measured_block

    try:
        text = page.read_text(encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{page} cannot be read: {error.strerror}.", "Name a page of docs/studies.") from error
    if text.count(BEGIN) != 1 or text.count(END) != 1 or text.index(BEGIN) > text.index(END):
        raise UsageError(f"{page} has no place for what was measured.", f"Put one line {BEGIN} and one {END} into it.")
    blocks = []
    for folder in folders:
        stored, evidence = opened(folder, say)
        view = compose(stored, evidence)
        if view.study is None:
            raise UsageError(
                f"{folder.name} is of the suite {stored.plan.suite}, which is of no study.",
                "Name a session of seed-000 to seed-004.",
            )
        blocks.append(measured_block(view))
    before, _, after_begin = text.partition(BEGIN)
    _, _, after = after_begin.partition(END)
    page.write_text(f"{before}{BEGIN}\n\n{chr(10).join(blocks)}\n{END}{after}", encoding="utf-8")
    say(f"{page} shows {', '.join(folder.name for folder in folders)}.")
