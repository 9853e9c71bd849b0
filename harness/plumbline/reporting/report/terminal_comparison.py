"""Prints a comparison in a terminal: the sentence, what was compared, and a table for each contest."""

from __future__ import annotations

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from plumbline.verdicts.judge.wording import counted
from .comparison_view import AnswerView, ComparisonView, ContestView, ReproductionView

_STYLES = {"better": "bold green", "worse": "bold red", "same": "green", "open": "yellow"}


def print_comparison(console: Console, view: ComparisonView) -> None:
    """Print the whole comparison; the other metrics and the pairs stand in the other formats."""
    console.print(Text(view.sentence, "bold red" if view.fails else "bold"))
    console.print()
    for label, value in view.facts:
        console.print(Padding(Text.assemble((f"{label}: ", "dim"), value), (0, 0, 0, 2)))
    for note in view.notes:
        console.print(Padding(Text(note, "dim"), (0, 0, 0, 2)))
    for contest in view.contests:
        _print_contest(console, contest)


def print_reproduction(console: Console, view: ReproductionView) -> None:
    """Print the ratios of the published session beside those of this session."""
    console.print(Text(view.sentence, "bold"))
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    for heading in ("Ratio", "Metric", "There", "Here", "Difference, 99 % interval", ""):
        table.add_column(heading, overflow="fold")
    for row in view.rows:
        table.add_row(
            Text(f"{row.subject} / {row.against}"),
            Text(f"{row.title} {row.where}, {row.scenario}"),
            Text(row.theirs),
            Text(row.ours or "–"),
            Text(row.difference or "–"),
            Text(row.word, _STYLES[row.tone]),
        )
    console.print(Padding(table, (0, 0, 0, 2)))


def _print_contest(console: Console, contest: ContestView) -> None:
    unused = f", {contest.unused} not used" if contest.unused else ""
    console.print()
    console.print(
        Text.assemble((contest.scenario, "bold"), f"  {contest.title}, {counted(len(contest.pairs), 'pair')}{unused}")
    )
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    for heading in ("Metric", "Head / base", "Change, 99 % interval", "Verdict", "Detectable", "Pairs"):
        table.add_column(heading, overflow="fold")
    for answer in contest.primary:
        table.add_row(*_answer_cells(answer))
    console.print(Padding(table, (0, 0, 0, 2)))
    for answer in contest.primary:
        if answer.note:
            console.print(Padding(Text(f"{answer.title}: {answer.note}", "dim"), (0, 0, 0, 2)))


def _answer_cells(answer: AnswerView) -> tuple[Text, ...]:
    return (
        Text(f"{answer.title} {answer.where}"),
        Text(answer.ratio or "–"),
        Text(answer.interval or "–"),
        Text(answer.verdict, _STYLES[answer.tone]),
        Text(answer.detectable or "–"),
        Text(str(answer.pairs)),
    )
