"""`./bench show TRIAL`."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from plumbline.model.errors import UsageError
from . import completing
from .console import ROOT, columns, json_option, path_in_checkout, print_json, say

if TYPE_CHECKING:
    from plumbline.model.record import Trial


def _number(_context: click.Context, _parameter: click.Parameter, trial: str | None) -> int | None:
    if trial is None:
        return None
    try:
        return int(trial)
    except ValueError:
        raise UsageError(
            f"'{trial}' is not the number of a trial.", f"To name a session: --record {shlex.quote(trial)}."
        ) from None


@click.command(epilog="Example: ./bench show 7   (trial 7 of the newest session)")
@click.argument("trial", callback=_number, required=False)
@click.option(
    "--record",
    shell_complete=completing.sessions,
    help="A session's folder or name; the newest when left out.",
)
@json_option
def command(trial: int | None, record: str | None, as_json: bool) -> int:
    """Show a trial: the verdict, what tells against it, its figures with their units, and the place of its logs.

    Without TRIAL it lists the trials of the session with their verdicts, and the rules that refused them.
    `./bench judge --trial N --all` has every reading. Exit status 1: the trial is invalid.
    """
    from plumbline.archive.record.gate import opened
    from plumbline.measuring.run.local import find_record
    from plumbline.reporting.report.terminal_trial import session_lines, trial_lines

    folder = find_record(ROOT / "results" / "local", record)
    session, evidence_of_trials = opened(folder, say)
    if trial is None:
        if as_json:
            print_json([_brief(row) for row in session.trials])
        record_option = "" if record is None else f" --record {shlex.quote(record)}"
        hint = f"One of them: ./bench show NUMBER{record_option}"
        for line in () if as_json else (*session_lines(session), hint):
            say(line, err=False)
        return 0
    row = next((row for row in session.trials if row.number == trial), None)
    if row is None:
        raise UsageError(
            f"The session {folder.name} has no trial {trial}.",
            f"It has {len(session.trials)}, counted from 1.",
        )
    evidence = evidence_of_trials[trial]
    logs = folder / "logs" / f"{trial:04d}"
    if as_json:
        print_json(
            {
                **row.model_dump(mode="json"),
                "failure": evidence.failure and evidence.failure.model_dump(),
                "logs": str(logs),
            }
        )
        return 1 if row.verdict == "invalid" else 0
    for line in (*trial_lines(session, row, evidence, logs, columns()), *_next_steps(row, folder)):
        say(line, err=False)
    return 1 if row.verdict == "invalid" else 0


def _brief(row: Trial) -> dict[str, Any]:
    fields = row.model_dump(mode="json", include={"number", "subject", "scenario", "block", "role", "verdict"})
    return {**fields, "refused_by": row.refused_by}


def _next_steps(row: Trial, folder: Path) -> Iterator[str]:
    """Yield the commands that explain the rules that refused the trial, and the one that measures the session again."""
    yield from (f"What {rule} asks, and why: ./bench explain {rule}" for rule in row.refused_by)
    yield f"The session again: ./bench reproduce {shlex.quote(path_in_checkout(folder))}"
