"""`./bench ci alerts`."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from plumbline.github.workflow import outputs
from ..console import ROOT
from .options import data_argument

if TYPE_CHECKING:
    from plumbline.history.alerts import Word
    from plumbline.model.record import Record


@click.command(epilog="Example: ./bench ci alerts data --dry-run")
@data_argument
@click.option(
    "--result", type=click.Path(exists=True, file_okay=False, path_type=Path), help="A comparison's session."
)
@click.option("--alert", default="", help="With --result: the alert that it confirms or clears.")
@click.option("--dry-run", is_flag=True, help="Say what would be done, and do nothing.")
def command(data: Path, result: Path | None, alert: str, dry_run: bool) -> None:
    """One issue an alert: opened, kept up to date, closed. Writes DATA/alerts.json, for `./bench ci keep`.

    Alerts are those of `./bench history` over DATA. A comparison handed over by --result is its verdict on --alert.
    """
    from plumbline.data.check import Expected, checked
    from plumbline.github.api import Api
    from plumbline.github.issues import keep_issues
    from plumbline.history.collect import series_of, sessions
    from plumbline.history.ledger import read_ledger, write_ledger
    from plumbline.history.look import look
    from plumbline.history.memory import remember, remembered
    from plumbline.host.paths import Paths
    from plumbline.model.errors import UsageError

    words: dict[str, Word] = {}
    if (result is None) != (not alert):
        raise UsageError("--result and --alert go together.", "Name both, or neither.")
    ledger = read_ledger(data)
    if result is not None:
        known = {one.id: one for one in ledger.alerts}
        if alert not in known:
            raise UsageError(f"There is no alert '{alert[:40]}'.", "See `./bench history DATA`.")
        words[alert] = _word(checked(result, Expected()), known[alert].series)
    cache = Paths.of(os.environ, ROOT, os.getuid()).cache / "history"
    memory = remembered(cache)
    seen = look(series_of(sessions(data, cache)), ledger.alerts, words, memory)
    remember(cache, memory)
    kept = keep_issues(Api.of(os.environ), seen.alerts, seen.candidates, dry_run=dry_run)
    if not dry_run:
        write_ledger(data, seen.alerts)
    asked = []
    for one in seen.candidates:
        found = next((row for row in seen.alerts if row.id == one.alert and row.state == "open"), None)
        if found is not None and (its := one.question) is not None:
            question = {"base": its.base, "head": its.head, "only": its.subject, "scenario": its.scenario}
            asked.append({"alert": one.alert, **question})
    outputs(
        {
            "opened": str(kept.opened),
            "updated": str(kept.updated),
            "closed": str(kept.closed),
            "candidates": json.dumps(asked, separators=(",", ":")),
            "confirm": "true" if asked else "false",
        }
    )


def _word(record: Record, series: str) -> Word:
    """What a comparison says of the series of an alert. Raises AnswerIsNo when it did not ask for it."""
    from plumbline.model.errors import AnswerIsNo

    for answer in () if record.comparison is None else record.comparison.answers:
        name = f"{answer.head_subject} {answer.scenario} {answer.phase} {answer.metric} on "
        if series.startswith(name) and answer.verdict is not None:
            return answer.verdict
    raise AnswerIsNo(f"The comparison {record.plan.session} has no verdict on '{series[:200]}'.")
