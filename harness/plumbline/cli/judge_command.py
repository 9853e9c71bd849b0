"""`./bench judge [RECORD]`."""

from __future__ import annotations

import click

from . import completing
from .console import ROOT, json_option, print_json, say


@click.command(epilog="Example: ./bench judge results/local/20261121T070000Z-lab1-0a1b2c --trial 7")
@click.argument("record", required=False, shell_complete=completing.sessions)
@click.option("--trial", type=int, help="Only this trial.")
@click.option(
    "--rule",
    "rules",
    multiple=True,
    metavar="ID",
    shell_complete=completing.rules,
    help="Only this rule, such as R1. May be repeated.",
)
@click.option("--all", "everything", is_flag=True, help="Also show rules that pass or do not apply.")
@json_option
def command(record: str | None, trial: int | None, rules: tuple[str, ...], everything: bool, as_json: bool) -> int:
    """Judge a record again by today's rules, from its stored evidence alone.

    Exit status 1: a trial is invalid.
    """
    from plumbline.archive.record.assemble import assembled_again
    from plumbline.archive.record.gate import opened
    from plumbline.measuring.run.local import find_record
    from plumbline.model.errors import UsageError
    from plumbline.subjects.catalog.reading import nearest
    from plumbline.verdicts.judge.rules import RULES

    known_rules = {rule.id: rule for rule in RULES}
    for name in rules:
        if name not in known_rules:
            raise UsageError(f"There is no rule '{name}'.", nearest(name, known_rules))
    stored_record, evidence = opened(find_record(ROOT / "results" / "local", record), say)
    judged = assembled_again(stored_record, evidence)
    chosen_trials = [row for row in judged.trials if trial is None or row.number == trial]
    if not chosen_trials:
        raise UsageError(f"The session has no trial {trial}.", f"It has {len(judged.trials)}, counted from 1.")
    shown_findings = {
        row.number: [
            finding
            for finding in row.findings
            if (not rules or finding.rule in rules)
            and (everything or as_json or rules or finding.outcome not in ("pass", "n/a"))
        ]
        for row in chosen_trials
    }
    if as_json:
        stored_verdicts = {row.number: row.verdict for row in stored_record.trials}
        print_json(
            {
                "session": judged.plan.session,
                "rules": {rule.id: rule.title for rule in RULES},
                "verdict": judged.verdict,
                "trials": [
                    {
                        "number": row.number,
                        "subject": row.subject,
                        "scenario": row.scenario,
                        "role": row.role,
                        "verdict": row.verdict,
                        "verdict_then": stored_verdicts[row.number],
                        "findings": [finding.model_dump(mode="json") for finding in shown_findings[row.number]],
                    }
                    for row in chosen_trials
                ],
            }
        )
    else:
        for row in chosen_trials:
            say(f"{row.number:>3}  {row.subject}  {row.scenario}  ({row.role}): {row.verdict}", err=False)
            for finding in shown_findings[row.number]:
                phase = f" {finding.phase}" if finding.phase else ""
                say(f"     {finding.outcome:8} {finding.rule:4}{phase}: {finding.reading}", err=False)
        click.echo(f"Session: {judged.verdict}.")
    return 1 if any(row.verdict == "invalid" for row in chosen_trials) else 0
