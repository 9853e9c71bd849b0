"""`./bench ci alerts`, `issues` and `heartbeat`: the things that somebody should look at."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from plumbline.model.errors import AnswerIsNo, UsageError
from plumbline.reporting.github.workflow import outputs
from ..console import user_paths
from .options import data_argument, digests_option, expected

if TYPE_CHECKING:
    from plumbline.archive.history.alerts import Alert, Word
    from plumbline.archive.history.analysis import Question, SeriesAnalysis
    from plumbline.model.record import Record

# A comparison takes up to four hours of the host, and a job of the next night waits for a day at most.
MOST_COMPARISONS = 3


@click.command(epilog="Example: ./bench ci alerts data && ./bench ci keep data alerts.json --remote origin")
@data_argument
@click.option("--result", type=click.Path(exists=True, file_okay=False, path_type=Path), help="A comparison's session.")
@click.option("--alert", metavar="ID[,ID]", default="", help="With --result: the alerts that it confirms or clears.")
@digests_option
def alerts_command(data: Path, result: Path | None, alert: str, digests: tuple[str, ...]) -> None:
    """Analyse all series of DATA, and write the alerts with their states into DATA/alerts.json, for `./bench ci
    keep`.

    Alerts are those of `./bench history` over DATA. --result hands over the comparison that was made to confirm
    --alert. The output `candidates` has the comparisons that would confirm the new alerts: one for all alerts of a
    subject under a scenario, and no more than the few of the largest changes.
    """
    from plumbline.archive.data.check import checked
    from plumbline.archive.history.alerts import advance, read_ledger, write_ledger
    from plumbline.archive.history.analysis import analyse
    from plumbline.archive.history.collect import series_of, sessions

    if (result is None) != (not alert):
        raise UsageError("--result and --alert go together.", "Name both, or neither.")
    known_alerts = {entry.id: entry for entry in read_ledger(data).alerts}
    ids = tuple(alert.replace(",", " ").split())
    if unknown := next((id_ for id_ in ids if id_ not in known_alerts), None):
        raise UsageError(f"There is no alert '{unknown[:40]}'.", "See `./bench history DATA`.")
    cache = user_paths().cache / "history"
    analysis = analyse(series_of(sessions(data, cache)), tuple(known_alerts.values()), {})
    words: dict[str, Word] = {}
    if result is not None:
        record = checked(result, expected(None, digests, clean=False))
        words = _verdicts_on_alerts(record, [known_alerts[id_] for id_ in ids], analysis)
    alerts = advance(tuple(known_alerts.values()), analysis.series, analysis.changes, words)
    write_ledger(data, alerts)
    new_alerts = {entry.id: entry for entry in alerts if entry.id not in known_alerts}
    confirmations = _confirmations(
        [
            (new_alerts[candidate.alert], candidate.question)
            for candidate in analysis.candidates
            if candidate.alert in new_alerts and candidate.question is not None
        ],
        data,
    )
    outputs(
        {
            "new": str(len(new_alerts)),
            "candidates": json.dumps(confirmations, separators=(",", ":")),
            "confirm": "true" if confirmations else "false",
        }
    )


def _confirmations(questions: Iterable[tuple[Alert, Question]], data: Path) -> list[dict[str, str]]:
    """Return the inputs of the runs of confirm.yml that would answer these questions, the largest changes first.

    Each question is asked once, for all its alerts: people repeat a comparison that leaves it open.
    """
    asked: dict[tuple[tuple[str, str], ...], list[Alert]] = {}
    settings: dict[str, dict[str, str]] = {}
    for alert, question in questions:
        if alert.session not in settings:
            settings[alert.session] = _settings(data, alert.session)
        inputs = {
            "base": question.base,
            "head": question.head,
            "only": question.subject,
            "scenario": question.scenario,
            **settings[alert.session],
        }
        asked.setdefault(tuple(inputs.items()), []).append(alert)
    ordered = sorted(asked.items(), key=lambda group: -max(abs(math.log(alert.ratio)) for alert in group[1]))
    return [
        {"alert": ",".join(alert.id for alert in alerts), **dict(inputs)}
        for inputs, alerts in ordered[:MOST_COMPARISONS]
    ]


def _settings(data: Path, session: str) -> dict[str, str]:
    """Return the suite, the host and the scale of the session that raised an alert; of a joined session the first
    host.
    """
    from plumbline.archive.data.layout import run_path
    from plumbline.archive.record.read import read_record

    record = read_record(data / run_path(session))
    plan = record.plan
    host = record.parts[0].plan.host if record.parts else plan.host
    return {"suite": plan.suite, "host": host, "scale": f"{plan.scale:g}"}


def _verdicts_on_alerts(record: Record, alerts: Iterable[Alert], analysis: SeriesAnalysis) -> dict[str, Word]:
    """Return the verdicts of a comparison on those of the alerts that it asked about. Raises AnswerIsNo for none."""
    from plumbline.archive.history.analysis import can_clear, change_of, lies_between
    from plumbline.archive.record.join import BETWEEN_HOSTS

    words: dict[str, Word] = {}
    asked = record.plan.comparison
    answers = {} if asked is None or asked.base.dirty or asked.head.dirty else _answers(record)
    for alert in alerts:
        question, _, host = alert.series.rpartition(" on ")
        found_change = change_of(alert, analysis.changes)
        is_asked = question in answers and record.host.name in (host, *host.split(BETWEEN_HOSTS))
        if asked is None or found_change is None or not is_asked:
            continue
        commits = asked.base.commit, asked.head.commit
        if lies_between(found_change, *commits):
            decides = answers[question] == "slower" or can_clear(found_change, *commits, record.provenance.started_at)
            words[alert.id] = answers[question] if decides else "inconclusive"
    if not words:
        raise AnswerIsNo(
            f"The comparison {record.plan.session} says nothing of these alerts: it did not ask about their series, "
            "its two sides are one artifact, or its two commits do not lie on the two sides of their changes.",
            "A duet has one open rate and no closed load: compare on the host that raised the alert.",
        )
    return words


def _answers(record: Record) -> dict[str, Word]:
    """Return the verdicts of a comparison by "subject scenario phase metric", where a subject ran two artifacts."""
    if record.comparison is None:
        return {}
    digests = {(artifact.side, artifact.subject): artifact.sha256 for artifact in record.ran}
    return {
        # Too few pairs for any verdict decide nothing either.
        f"{answer.head_subject} {answer.scenario} {answer.phase} {answer.metric}": answer.verdict or "inconclusive"
        for answer in record.comparison.answers
        if answer.base_subject == answer.head_subject
        and digests.get(("base", answer.base_subject)) != digests.get(("head", answer.head_subject))
    }


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
