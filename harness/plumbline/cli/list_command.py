"""`./bench list`."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from textwrap import TextWrapper
from typing import Any

import click

from plumbline.model.text import printable
from plumbline.verdicts.judge.wording import counted
from .console import ROOT, columns, json_option, path_in_checkout, print_json


@click.command(epilog="Example: ./bench list --json")
@json_option
def command(as_json: bool) -> int:
    """List the sessions measured here, the newest first; then the interrupted ones, and those of `./bench lifecycle`.

    Exit status 1: a session can't be read; the others are listed all the same.
    """
    from plumbline.archive.record.layout import LIFECYCLE
    from plumbline.archive.record.read import read_record
    from plumbline.measuring.run.local import finished_sessions, interrupted_sessions, lifecycle_sessions
    from plumbline.model.errors import AnswerIsNo, UsageError
    from plumbline.model.lifecycle import Lifecycle

    results = ROOT / "results" / "local"
    rows: list[dict[str, Any]] = []

    def add_row(folder: Any, state: str, suite: str | None = None, **fields: Any) -> None:
        defaults = {
            "suite": suite,
            "verdict": None,
            "trials": 0,
            "runs": 0,
            "problem": None,
            "go_on": None,
            "report": None,
        }
        rows.append({"session": folder.name, "state": state, **defaults, **fields, "folder": str(folder)})

    for folder in finished_sessions(results):
        try:
            record = read_record(folder)
        except AnswerIsNo as error:
            add_row(folder, "damaged", problem=error.problem)
        else:
            add_row(folder, "finished", record.plan.suite, verdict=record.verdict, trials=len(record.trials))
    for folder, journaled in interrupted_sessions(results):
        if isinstance(journaled, UsageError):
            add_row(folder, "damaged", problem=journaled.problem)
        else:
            plan, trials = journaled.plan, len(journaled.trials)
            go_on = f"./bench {plan.resumed_by} --resume {folder.name}"
            add_row(folder, "interrupted", plan.suite, trials=trials, problem=journaled.damage, go_on=go_on)
    for folder in lifecycle_sessions(results):
        try:
            document = Lifecycle.model_validate_json((folder / LIFECYCLE).read_bytes())
        except (OSError, ValueError):
            add_row(folder, "damaged", problem=f"{LIFECYCLE} is no document of this version.")
        else:
            state = "finished" if document.whole else "interrupted"
            add_row(folder, state, "lifecycle", runs=len(document.runs), report=str(folder / "report.md"))
    if as_json:
        print_json(rows)
    elif not rows:
        click.echo("Nothing was measured here yet. Start by `./bench run`.")
    else:
        wrapper = TextWrapper(columns(), subsequent_indent="    ", break_long_words=False, break_on_hyphens=False)
        for line in (line for row in rows for line in _lines(row)):
            click.echo(wrapper.fill(printable(line)))
    return int(any(row["state"] == "damaged" for row in rows))


def _lines(row: dict[str, Any]) -> Iterable[str]:
    """Yield the line of a session, and how an interrupted one goes on."""
    if row["state"] == "damaged":
        yield f"{row['session']}  can't be read: {row['problem']}"
        return
    measured = counted(row["runs"], "run") if row["report"] else counted(row["trials"], "trial")
    yield f"{row['session']}  {row['suite']:10} {measured:>10}  {row['verdict'] or row['state']}"
    if row["problem"]:
        yield f"    {row['problem']}"
    if row["go_on"]:
        yield f"    go on by {row['go_on']}"
    if row["report"]:
        yield f"    report: {path_in_checkout(Path(row['report']))}"
