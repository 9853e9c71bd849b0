"""Markdown of a mix, a study and a comparison."""

from __future__ import annotations

from plumbline.archive.record.markdown import escaped, table
from plumbline.verdicts.judge.wording import counted
from .comparison_view import AnswerView, ComparisonView, ContestView, ReproductionView, StudyAnswer, StudyView
from .view import Box, MixView, View

_QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)


def mix_lines(mix: MixView) -> list[str]:
    """Return the lines of an open phase of a mix: a table by use case; a quantile needs enough requests beyond it."""
    lines = ["", f"### Response times by use case, {escaped(mix.where)}", ""]
    lines += table(
        ("Use case", "Subject", "Mean, ms", *(f"p{quantile * 100:g}" for quantile in _QUANTILES), "Requests"),
        ((boxes.use_case, row.name.short, *_box_cells(row)) for boxes in mix.boxes for row in boxes.rows),
    )
    return lines


def _box_cells(row: Box) -> tuple[str, ...]:
    quantiles = (f"{row.quantiles[quantile]:.3g}" if quantile in row.quantiles else "" for quantile in _QUANTILES)
    return f"{row.mean:.3g}", *quantiles, f"{row.requests:,}"


def study_lines(study: StudyView) -> list[str]:
    """Return the section on a study, as a report shows it."""
    lines = ["", f"## {escaped(study.title)}", "", escaped(study.question)]
    for answer in study.tables:
        lines += _study_table(answer, "###")
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
    for answer in view.study.tables:
        lines += _study_table(answer, "###")
    for scenario in view.scenarios:
        for mix in scenario.mixes:
            lines += mix_lines(mix)
    return "\n".join(lines) + "\n"


def _study_table(answer: StudyAnswer, heading: str) -> list[str]:
    lines = [
        "",
        f"{heading} {escaped(answer.about)}",
        "",
        escaped(f"{answer.metric}, {answer.where}; {answer.unit}."),
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
            for row in answer.figures
        ),
    )
    lines += ["", escaped(f"Ratios are to {answer.against}. {answer.summary} {answer.why}")]
    if answer.ruled:
        lines += ["", "What the referee said:", ""]
        lines += [
            f"- {escaped(ruled.system)}: "
            + "; ".join(
                f"**{escaped(ruling.rule)}** {ruling.outcome}: {escaped(ruling.reading)}" for ruling in ruled.said
            )
            for ruled in answer.ruled
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
    """Return the lines of a comparison, which stand below the headline."""
    lines = ["", "## What was compared", "", *table(("What", "Value"), view.facts), ""]
    lines += [f"- {escaped(note)}" for note in view.notes]
    for contest in view.contests:
        lines += _contest_lines(contest)
    return lines


def reproduction_lines(view: ReproductionView) -> list[str]:
    """Return the ratios of the published session beside those of this session."""
    head = ("Ratio", "Metric", "There", "Here", "Difference, 99 % interval", "Detectable", "Verdict")
    rows = (
        (
            f"{row.subject} / {row.against}",
            f"{row.title} {row.where}, {row.scenario}",
            row.theirs,
            row.ours or "–",
            row.difference or "–",
            row.detectable or "–",
            row.word,
        )
        for row in view.rows
    )
    return ["", "## Run again", "", *table(("What", "Value"), view.facts), "", *table(head, rows)]


def answer_lines(contest: ContestView) -> list[str]:
    """Return the answers to the leading questions on two subjects."""
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


def _contest_lines(contest: ContestView) -> list[str]:
    lines = answer_lines(contest)
    if contest.secondary:
        lines += ["", "The rest (p adjusted by Benjamini-Hochberg):", ""]
        lines += table(_HEAD, map(_answer_cells, contest.secondary))
    unused = f", {contest.unused} not used" if contest.unused else ""
    lines += ["", f"### The proof: {counted(len(contest.pairs), 'pair')}{unused}", ""]
    head = (
        "Pair",
        "Order",
        "Trials",
        *(f"{heading}: base, head, ratio" for heading in contest.headings),
        "Used",
    )
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


def _answer_cells(answer: AnswerView) -> tuple[str, ...]:
    verdict = f"{answer.verdict}. {answer.note}" if answer.note else answer.verdict
    empty = "–"
    return (
        f"{answer.title} {answer.where}",
        answer.ratio or empty,
        answer.interval or empty,
        verdict,
        answer.detectable or empty,
        answer.p or empty,
        str(answer.pairs),
    )
