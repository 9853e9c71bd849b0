"""`./bench explain RULE`."""

from __future__ import annotations

from textwrap import TextWrapper

import click

from . import completing
from .console import ROOT, columns, json_option, print_json

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
        described = [describe(one) for one in RULES]
        if as_json:
            print_json([one.model_dump() for one in described])
        for one in () if as_json else described:
            click.echo(f"{one.id:4} {one.title}")
        return 0
    one = describe(rule_named(rule))
    outcomes = _outcomes_here(one.id)
    if as_json:
        print_json({**one.model_dump(), "outcomes_here": outcomes})
        return 0
    refuses = "warns, and refuses on a lab host only" if one.soft else "refuses the trial on every host"
    click.echo(f"{one.id}  {one.title}\n")
    rows = [
        ("asks", one.asks),
        ("looks at", one.looks_at),
        ("reads", one.source),
        ("would have caught", one.mistake),
        ("when not met", f"{refuses} ({one.kind})"),
        ("when unknown", "the trial is at best advisory" if one.required else "the trial still counts"),
        *((threshold.name, f"{_value(threshold.value)}. {threshold.reason}") for threshold in one.thresholds),
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
    """Count trials of the sessions in results/local by the gravest outcome that a rule has in them."""
    from collections import Counter

    from plumbline.archive.record.read import read_record
    from plumbline.measuring.run.local import finished_sessions
    from plumbline.model.record import GRAVITY

    found: Counter[str] = Counter()
    for folder in finished_sessions(ROOT / "results" / "local"):
        for trial in read_record(folder).trials:
            outcomes = [finding.outcome for finding in trial.findings if finding.rule == rule]
            if outcomes:
                found[min(outcomes, key=GRAVITY.index)] += 1
    return dict(found.most_common())
