"""The report as Markdown: for pull requests, mails and people who read files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from plumbline.model.evidence import Evidence
from plumbline.model.record import Record
from .compose import compose
from .view import Row, ScenarioView, Standings, View

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>()#+!|~$:@&-])")
# Escaped only where they could do something, so that the source stays pleasant to read.
_HARMLESS = re.compile(r"(?<=[\w ])\\([-:()+#])(?=[\w ,.;=]|$)")


def render(record: Record, evidence: Mapping[int, Evidence]) -> str:
    """The report of a session as one Markdown document."""
    return document(compose(record, evidence))


def document(view: View) -> str:
    """The document of a view."""
    lines = [
        f"# {escaped(view.lead)}",
        "",
        f"**{escaped(view.trust.word)}.** {escaped(' '.join(view.trust.sentences))}",
        "",
        *(f"- {escaped(caution)}" for caution in view.trust.cautions),
        "",
        f"Suite {escaped(view.suite)}, {escaped(view.when)}, {escaped(view.host)}.",
    ]
    for scenario in view.scenarios:
        lines += _scenario(scenario)
    lines += _reasons(view)
    lines += ["", "## What the referee found", ""]
    lines += table(
        ("Rule", "Title", "Worst", "Trials", "A reading of the worst"),
        (
            (
                rule.id,
                rule.title,
                rule.worst,
                ", ".join(f"{count} {outcome}" for outcome, count in rule.counts.items()),
                rule.reading,
            )
            for rule in view.rules
        ),
    )
    lines += ["", "## Builds", ""]
    lines += table(
        ("Artifact", "Time", "Peak memory", "Size", "SHA-256", ""),
        ((one.artifact, one.wall, one.memory, one.size, one.sha256[:16], one.note) for one in view.builds),
    )
    lines += ["", "## Where the numbers come from", ""]
    lines += table(("What", "Value"), view.provenance)
    lines += ["", "## Run and check it yourself", ""]
    # Indented code has no end mark that a string could forge.
    lines += [f"    {command}" for command in (*view.reproduce, view.verify)]
    return "\n".join(lines) + "\n"


def escaped(text: str) -> str:
    """Text that no Markdown reader takes for markup or HTML. The view holds no line breaks."""
    return _HARMLESS.sub(r"\1", _SPECIAL.sub(r"\\\1", text)).replace("\\<", "&lt;").replace("\\>", "&gt;")


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """A table; every cell is escaped here."""
    return [
        _line(head),
        _line(["---"] * len(head), escape=False),
        *(_line(row) for row in rows),
    ]


def _line(cells: Sequence[str], *, escape: bool = True) -> str:
    return "| " + " | ".join(escaped(cell) if escape else cell for cell in cells) + " |"


def _scenario(scenario: ScenarioView) -> list[str]:
    lines = ["", f"## {escaped(scenario.id)}: {escaped(scenario.operation)}", ""]
    lines += [f"{escaped(scenario.phases)}. {escaped(scenario.steady)}"]
    for standings in scenario.lead:
        lines += _standings(standings)
    if scenario.bounded:
        lines += ["", "### Bounded by more than the application", ""]
        lines += [f"- {escaped(limit)}" for limit in scenario.limits]
    for standings in scenario.bounded:
        lines += _standings(standings)
    return lines


def _standings(standings: Standings) -> list[str]:
    rows = (*standings.rows, *((standings.control,) if standings.control else ()))
    return [
        "",
        f"### {escaped(standings.title)}, {escaped(standings.where)}",
        "",
        escaped(f"{standings.said} {standings.next}".strip()),
        "",
        *table(
            (
                "Rank",
                "Subject",
                f"Mean and {standings.confidence:.0%} interval, {standings.unit}",
                "Times control",
                "Trials",
                "Left out",
            ),
            (_cells(row) for row in rows),
        ),
    ]


def _cells(row: Row) -> tuple[str, ...]:
    rank = "" if row.rank is None else f"{row.rank}{' (tied)' if row.tied else ''}"
    ratio = "" if row.ratio is None or row.name.mark is None else f"{row.ratio:.2f}"
    return rank, row.name.short, row.text, ratio, str(row.trials), str(row.left_out)


def _reasons(view: View) -> list[str]:
    if not view.reasons:
        return ["", "## Invalid trials and doubts", "", "None."]
    rows = (
        (
            one.outcome,
            one.rule or "",
            one.title,
            "; ".join(f"{name.short} {', '.join(map(str, trials))}" for name, trials in one.trials),
            " ".join(one.readings),
        )
        for one in view.reasons
    )
    head = ("Outcome", "Rule", "Title", "Trials by subject", "Readings")
    return ["", "## Invalid trials and doubts", "", *table(head, rows)]
