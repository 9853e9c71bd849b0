"""`./bench ci alerts`, `issues` and `heartbeat`: the things that somebody should look at."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from plumbline.model.errors import AnswerIsNo, UsageError
from plumbline.reporting.github.workflow import outputs
from ..console import user_paths
from .options import data_argument, digests_option, expected

if TYPE_CHECKING:
    from plumbline.archive.history.alerts import Word
    from plumbline.archive.history.analysis import Question
    from plumbline.model.record import Record


@click.command(epilog="Example: ./bench ci alerts data && ./bench ci keep data alerts.json --remote origin")
@data_argument
@click.option("--result", type=click.Path(exists=True, file_okay=False, path_type=Path), help="A comparison's session.")
@click.option("--alert", default="", help="With --result: the alert that it confirms or clears.")
@digests_option
def alerts_command(data: Path, result: Path | None, alert: str, digests: tuple[str, ...]) -> None:
    """Analyse all series of DATA, and write the alerts with their states into DATA/alerts.json, for `./bench ci
    keep`.

    Alerts are those of `./bench history` over DATA. --result hands over the comparison that was made to confirm
    --alert. The output `candidates` has the comparisons that would confirm the new alerts.
    """
    from plumbline.archive.data.check import checked
    from plumbline.archive.history.alerts import read_ledger, write_ledger
    from plumbline.archive.history.analysis import analyse
    from plumbline.archive.history.collect import series_of, sessions

    words: dict[str, Word] = {}
    if (result is None) != (not alert):
        raise UsageError("--result and --alert go together.", "Name both, or neither.")
    known_alerts = {entry.id: entry for entry in read_ledger(data).alerts}
    if result is not None:
        if alert not in known_alerts:
            raise UsageError(f"There is no alert '{alert[:40]}'.", "See `./bench history DATA`.")
        words[alert] = _verdict_on_alert(
            checked(result, expected(None, digests, clean=False)), known_alerts[alert].series
        )
    cache = user_paths().cache / "history"
    analysis = analyse(series_of(sessions(data, cache)), tuple(known_alerts.values()), words)
    write_ledger(data, analysis.alerts)
    alerts = {entry.id: entry for entry in analysis.alerts}
    # One comparison for each alert: people repeat a comparison that leaves the question open.
    confirmations = [
        _confirmation_inputs(candidate.alert, candidate.question, data, alerts[candidate.alert].session)
        for candidate in analysis.candidates
        if candidate.alert not in known_alerts and candidate.question is not None
    ]
    outputs(
        {
            "new": str(len(alerts.keys() - known_alerts.keys())),
            "state": alerts[alert].state if alert else "",
            "candidates": json.dumps(confirmations, separators=(",", ":")),
            "confirm": "true" if confirmations else "false",
        }
    )


def _confirmation_inputs(alert: str, question: Question, data: Path, session: str) -> dict[str, str]:
    """Return the inputs of confirm.yml: phases, scale and host are those of the session that raised the alert.

    For a joined session the comparison runs on its first host.
    """
    from plumbline.archive.data.layout import run_path
    from plumbline.archive.record.read import read_record

    record = read_record(data / run_path(session))
    plan = record.plan
    return {
        "alert": alert,
        "base": question.base,
        "head": question.head,
        "only": question.subject,
        "scenario": question.scenario,
        "suite": plan.suite,
        "host": record.parts[0].plan.host if record.parts else plan.host,
        "scale": f"{plan.scale:g}",
    }


def _verdict_on_alert(record: Record, series: str) -> Word:
    """Return the verdict of a comparison on an alert's series. Raises AnswerIsNo if it asked about another series."""
    for answer in () if record.comparison is None else record.comparison.answers:
        name = f"{answer.head_subject} {answer.scenario} {answer.phase} {answer.metric} on "
        if series.startswith(name):
            # Too few pairs for any verdict decide nothing either.
            return answer.verdict or "inconclusive"
    raise AnswerIsNo(
        f"The comparison {record.plan.session} did not ask about '{series[:200]}'.",
        "A duet has one open rate and no closed load: compare on the host that raised the alert.",
    )


@click.command(epilog="Example: ./bench ci issues data --dry-run")
@data_argument
@click.option("--dry-run", is_flag=True, help="Say what would be done, and do nothing.")
def issues_command(data: Path, dry_run: bool) -> None:
    """Open, update and close issues, one for each alert of DATA/alerts.json.

    The command writes nothing but issues, so it may run again at any time.
    """
    from plumbline.archive.history.alerts import read_ledger
    from plumbline.archive.history.analysis import analyse
    from plumbline.archive.history.collect import series_of, sessions
    from plumbline.reporting.github.api import Api
    from plumbline.reporting.github.issues import keep_issues

    alerts = read_ledger(data).alerts
    cache = user_paths().cache / "history"
    # The analysis tells how to confirm open alerts; the alerts themselves stay those of the ledger.
    analysis = analyse(series_of(sessions(data, cache)), alerts, {})
    counts = keep_issues(Api.of(os.environ), alerts, analysis.candidates, dry_run=dry_run)
    outputs({"opened": str(counts.opened), "updated": str(counts.updated), "closed": str(counts.closed)})


@click.command(epilog="Example: ./bench ci heartbeat data --hours 36")
@data_argument
@click.option(
    "--hours",
    type=click.IntRange(1),
    default=36,
    show_default=True,
    help="The newest session may be so many hours old.",
)
def heartbeat_command(data: Path, hours: int) -> int:
    """Check whether a campaign landed lately; an older newest session is exit status 1, with an annotation.

    A forge may skip a scheduled campaign without a word. A schedule starts this check as well: if GitHub switches
    schedules off after 60 idle days, the check does not run either, and only GitHub's own mail says so.
    """
    from plumbline.archive.data.entry import recorded
    from plumbline.reporting.github.workflow import annotate

    newest = max((entry.session for entry in recorded(data) if not entry.comparison), default="")
    age_h = None
    if newest:
        began_at = datetime.strptime(newest[:16], "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
        age_h = (datetime.now(UTC) - began_at).total_seconds() / 3600
    outputs({"newest": newest, "age_hours": "" if age_h is None else f"{age_h:.0f}"})
    if age_h is not None and age_h <= hours:
        return 0
    sentence = (
        "No session was ever recorded." if age_h is None else f"The newest session, {newest}, is {age_h:.0f} h old."
    )
    annotate("error", f"{sentence} Look at the runs of campaign.yml, and whether its schedule is still on.")
    return 1
