"""`./bench explain RULE`."""

from __future__ import annotations

from textwrap import TextWrapper

import click

from . import completing
from .console import ROOT, columns, json_option, print_json, say

# Longer lines are hard to read, however wide the terminal is.
_WIDEST = 100


@click.command(epilog="Example: ./bench explain R29")
@click.argument("rule", required=False, shell_complete=completing.rules)
@json_option
def command(rule: str | None, as_json: bool) -> int:
    """Explain a rule of the referee: what it asks, its thresholds, and the published mistake that it would have
    caught.

    The command also tells how often the rule refused or doubted a trial in the sessions measured here. Without RULE
    it lists all rules.
    """
    from plumbline.verdicts.judge.description import describe, rule_named
    from plumbline.verdicts.judge.rules import RULES

    if rule is None:
        descriptions = [describe(known_rule) for known_rule in RULES]
        if as_json:
            print_json([description.model_dump() for description in descriptions])
        for description in () if as_json else descriptions:
            click.echo(f"{description.id:4} {description.title}")
        return 0
    description = describe(rule_named(rule))
    outcomes = _outcomes_here(description.id)
    if as_json:
        print_json({**description.model_dump(), "outcomes_here": outcomes})
        return 0
    refuses = "warns, and refuses on a lab host only" if description.soft else "refuses the trial on every host"
    click.echo(f"{description.id}  {description.title}\n")
    rows = [
        ("asks", description.asks),
        ("looks at", description.looks_at),
        ("reads", description.source),
        ("would have caught", description.mistake),
        ("when not met", f"{refuses} ({description.kind})"),
        (
            "when unknown",
            "the trial is at best advisory" if description.required else "the trial still counts",
        ),
        *((threshold.name, f"{_value(threshold.value)}. {threshold.reason}") for threshold in description.thresholds),
        (
            "in results/local",
            ", ".join(f"{count} {outcome}" for outcome, count in outcomes.items()) or "no trial",
        ),
    ]
    wrapper = TextWrapper(min(columns(), _WIDEST), subsequent_indent=" " * 27, break_on_hyphens=False)
    for name, text in rows:
        click.echo(wrapper.fill(f"  {name:24} {text}"))
    return 0


def _value(threshold: int | float | str) -> str:
    if isinstance(threshold, str):
        return threshold
    return f"{threshold:g}" if isinstance(threshold, float) else f"{threshold:,}"


def _outcomes_here(rule: str) -> dict[str, int]:
    """Count trials of the sessions in results/local by the gravest outcome that a rule has in them.

    Sessions that can't be read are named and left out.
    """
    from collections import Counter

    from plumbline.archive.record.read import read_record
    from plumbline.measuring.run.local import finished_sessions
    from plumbline.model.errors import AnswerIsNo
    from plumbline.model.record import GRAVITY

    counts: Counter[str] = Counter()
    for folder in finished_sessions(ROOT / "results" / "local"):
        try:
            trials = read_record(folder).trials
        except AnswerIsNo as error:
            say(f"{folder.name} is left out: {error.problem}")
            continue
        for trial in trials:
            outcomes = [finding.outcome for finding in trial.findings if finding.rule == rule]
            if outcomes:
                counts[min(outcomes, key=GRAVITY.index)] += 1
    return dict(counts.most_common())
