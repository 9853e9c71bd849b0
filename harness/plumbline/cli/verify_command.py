"""`./bench verify [RECORD|DIR]`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from plumbline.machine.host.kernel import format_cpulist
from plumbline.verdicts.judge.wording import counted
from . import completing
from .console import ROOT, json_option, print_json, say

if TYPE_CHECKING:
    from plumbline.archive.record.gate import Checked, Today


@click.command(epilog="Example: ./bench verify results/examples")
@click.argument("record", required=False, shell_complete=completing.sessions)
@json_option
def command(record: str | None, as_json: bool) -> int:
    """Check every byte of a record against its manifest, then recompute every figure, check result and ranking.

    RECORD is a session's folder or name, or a folder of sessions; the newest session is taken when none is named.
    Figures and check results are recomputed by the versions that the record names; where today's rules are newer, their
    check results stand beside. Exit status 0: the record is whole and as recorded. 1: something changed (the first
    difference is named), or planned trials are missing. 3: the versions of the record can't be recomputed here; the
    reason is named.
    """
    from plumbline.archive.record.gate import check_all
    from plumbline.measuring.run.local import find_record

    path = Path(record) if record and Path(record).is_dir() else find_record(ROOT / "results" / "local", record)
    results = check_all(path)
    if as_json:
        print_json(
            {
                "verified": status(results) == 0,
                "records": [{**asdict(result), "folder": str(result.folder)} for result in results],
            }
        )
    else:
        for result in results:
            for line in lines(result):
                say(line, err=False)
    return status(results)


def status(results: tuple[Checked, ...]) -> int:
    """Return the exit status of several records: a change or a missing trial weighs more than an unknown answer."""
    words = {result.word for result in results}
    if "changed" in words or any(result.missing for result in results):
        return 1
    return 0 if words <= {"as recorded"} else 3


def lines(checked: Checked) -> Iterator[str]:
    """Yield the verdict on a record, and the verdict of today's rules, as sentences."""
    name = checked.folder.name
    if checked.difference is not None:
        yield f"{name}: changed. {checked.difference.problem}"
    elif checked.reason is not None:
        yield f"{name}: can't be recomputed here. {checked.reason} Its {checked.files} files are those of its manifest."
    else:
        files, figures = counted(checked.files, "file"), counted(checked.figures, "figure")
        results = f"{counted(checked.findings, 'check result')} of {counted(checked.trials, 'trial')}"
        yield (
            f"{name}: as recorded. {files} by digest; {figures} and {results} recomputed by rules {checked.rules} and "
            f"figures {checked.figures_version}."
        )
    if checked.missing:
        yield f"    NOT whole: trials {format_cpulist(checked.missing)} of its plan are missing."
    if checked.today is not None:
        yield f"    Today's rules ({checked.today.rules}): {_verdict_of_today(checked.today, checked.trials)}"


def _verdict_of_today(today: Today, trials: int) -> str:
    if today.problem is not None:
        return f"they can't judge it. {today.problem}"
    if not today.otherwise:
        return "every trial has the same verdict."
    changes = [
        f"{changed.trial} {changed.now}, was {changed.then}{'' if changed.rule is None else f' ({changed.rule})'}"
        for changed in today.otherwise
    ]
    verb = "is" if len(changes) == 1 else "are"
    return f"{len(changes)} of {counted(trials, 'trial')} {verb} judged otherwise: {'; '.join(changes)}."
