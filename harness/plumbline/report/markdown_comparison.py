"""A comparison as Markdown: the answers, then the pairs; and the ratios of a session that was run again."""

from __future__ import annotations

from plumbline.judge.wording import counted
from .comparison_view import AnswerView, ComparisonView, ContestView, ReproductionView
from .markdown_text import escaped, table

_HEAD = (
    "Metric",
    "Head / base",
    "Change, 99 % interval",
    "Verdict for head",
    "Detectable",
    "p, adjusted",
    "Pairs",
)


def comparison_lines(view: ComparisonView) -> list[str]:
    """Return the lines below the headline."""
    lines = ["", "## What was compared", "", *table(("What", "Value"), view.facts), ""]
    lines += [f"- {escaped(note)}" for note in view.notes]
    for contest in view.contests:
        lines += _contest(contest)
    return lines


def reproduction_lines(view: ReproductionView) -> list[str]:
    """Return the ratios of the published session and of this one."""
    head = ("Ratio", "Metric", "There", "Here", "Difference, 99 % interval", "Detectable", "Verdict")
    rows = (
        (
            f"{one.subject} / {one.against}",
            f"{one.title} {one.where}, {one.scenario}",
            one.theirs,
            one.ours or "–",
            one.difference or "–",
            one.detectable or "–",
            one.word,
        )
        for one in view.rows
    )
    return ["", "## Run again", "", *table(("What", "Value"), view.facts), "", *table(head, rows)]


def _contest(contest: ContestView) -> list[str]:
    lines = [
        "",
        f"## {escaped(contest.scenario)}: {escaped(contest.operation)}, {escaped(contest.title)}",
        "",
    ]
    lines += [
        f"{escaped(contest.phases)}.",
        "",
        "What leads (p adjusted by Holm over all leading questions):",
        "",
    ]
    lines += table(_HEAD, map(_cells, contest.primary))
    if contest.rest:
        lines += ["", "The rest (p adjusted by Benjamini-Hochberg):", ""]
        lines += table(_HEAD, map(_cells, contest.rest))
    unused = f", {contest.unused} not used" if contest.unused else ""
    lines += ["", f"### The proof: {counted(len(contest.pairs), 'pair')}{unused}", ""]
    head = ("Pair", "Order", "Trials", *(f"{one}: base, head, ratio" for one in contest.headings), "Used")
    lines += table(
        head,
        (
            (
                str(pair.block),
                pair.order,
                f"{pair.base}, {pair.head}",
                *(", ".join(figures) for figures in pair.figures),
                "yes" if pair.used else f"no: {pair.reason}",
            )
            for pair in contest.pairs
        ),
    )
    return lines


def _cells(one: AnswerView) -> tuple[str, ...]:
    verdict = f"{one.verdict}. {one.note}" if one.note else one.verdict
    empty = "–"
    return (
        f"{one.title} {one.where}",
        one.ratio or empty,
        one.interval or empty,
        verdict,
        one.detectable or empty,
        one.p or empty,
        str(one.pairs),
    )
