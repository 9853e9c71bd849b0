"""Markdown of a mix, a study and a comparison."""

from __future__ import annotations

from plumbline.archive.record.markdown import escaped, table
from plumbline.verdicts.judge.wording import counted
from .comparison_view import AnswerView, ComparisonView, ContestView, ReproductionView, StudyAnswer, StudyView
from .view import Box, MixView, View

_QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)


def mix_lines(mix: MixView) -> list[str]:
    """Return an open phase of a mix: a table over all use cases, with quantiles that enough requests lie beyond."""
    lines = ["", f"### Response times by use case, {escaped(mix.where)}", ""]
    lines += table(
        ("Use case", "Subject", "Mean, ms", *(f"p{quantile * 100:g}" for quantile in _QUANTILES), "Requests"),
        ((boxes.use_case, row.name.short, *_cells(row)) for boxes in mix.boxes for row in boxes.rows),
    )
    return lines


def _cells(row: Box) -> tuple[str, ...]:
    quantiles = (
        f"{row.quantiles[quantile]:.3g}" if quantile in row.quantiles else "" for quantile in _QUANTILES
    )
    return f"{row.mean:.3g}", *quantiles, f"{row.requests:,}"


def study_lines(study: StudyView) -> list[str]:
    """Return the section of a report."""
    lines = ["", f"## {escaped(study.title)}", "", escaped(study.question)]
    for one in study.tables:
        lines += _table(one, "###")
    lines += ["", "### What keeps the two apart", "", *(f"- {escaped(caveat)}" for caveat in study.caveats)]
    return lines


def measured_block(view: View) -> str:
    """Return a session as a page about a study shows it: where it ran, how far it is to be trusted, the tables."""
    assert view.study is not None
    lines = [
        f"Session `{escaped(view.session)}` on {escaped(view.host)}. **{escaped(view.trust.word)}.** "
        + escaped(" ".join(view.trust.sentences)),
        "",
        *(f"- {escaped(caution)}" for caution in view.trust.cautions),
    ]
    for one in view.study.tables:
        lines += _table(one, "###")
    for scenario in view.scenarios:
        for mix in scenario.mixes:
            lines += mix_lines(mix)
    return "\n".join(lines) + "\n"


def _table(one: StudyAnswer, heading: str) -> list[str]:
    lines = [
        "",
        f"{heading} {escaped(one.about)}",
        "",
        escaped(f"{one.metric}, {one.where}; {one.unit}."),
        "",
    ]
    lines += table(
        ("System", "Subject", "Published", "Ratio", "Measured here", "Ratio here", "Ratios", "Note"),
        (
            (
                row.system,
                row.subject,
                row.published,
                row.published_ratio,
                row.measured,
                row.ratio,
                row.word,
                row.note,
            )
            for row in one.figures
        ),
    )
    lines += ["", escaped(f"Ratios are to {one.against}. {one.summary} {one.why}")]
    if one.ruled:
        lines += ["", "What the referee said:", ""]
        lines += [
            f"- {escaped(ruled.system)}: "
            + "; ".join(
                f"**{escaped(said.rule)}** {said.outcome}: {escaped(said.reading)}" for said in ruled.said
            )
            for ruled in one.ruled
        ]
    return lines


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


def answer_lines(contest: ContestView) -> list[str]:
    """Return what two subjects were asked first, with its answers."""
    return [
        "",
        f"## {escaped(contest.scenario)}: {escaped(contest.operation)}, {escaped(contest.title)}",
        "",
        f"{escaped(contest.phases)}.",
        "",
        "What leads (p adjusted by Holm over all leading questions):",
        "",
        *table(_HEAD, map(_answer_cells, contest.primary)),
    ]


def _contest(contest: ContestView) -> list[str]:
    lines = answer_lines(contest)
    if contest.rest:
        lines += ["", "The rest (p adjusted by Benjamini-Hochberg):", ""]
        lines += table(_HEAD, map(_answer_cells, contest.rest))
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


def _answer_cells(one: AnswerView) -> tuple[str, ...]:
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
