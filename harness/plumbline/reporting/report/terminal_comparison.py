"""A comparison in a terminal: the sentence, what was compared, a table a contest."""

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
    for what, value in view.facts:
        console.print(Padding(Text.assemble((f"{what}: ", "dim"), value), (0, 0, 0, 2)))
    for note in view.notes:
        console.print(Padding(Text(note, "dim"), (0, 0, 0, 2)))
    for contest in view.contests:
        _contest(console, contest)


def print_reproduction(console: Console, view: ReproductionView) -> None:
    """Print the ratios of the published session and of this one."""
    console.print(Text(view.sentence, "bold"))
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    for heading in ("Ratio", "Metric", "There", "Here", "Difference, 99 % interval", ""):
        table.add_column(heading, overflow="fold")
    for one in view.rows:
        table.add_row(
            Text(f"{one.subject} / {one.against}"),
            Text(f"{one.title} {one.where}, {one.scenario}"),
            Text(one.theirs),
            Text(one.ours or "–"),
            Text(one.difference or "–"),
            Text(one.word, _STYLES[one.tone]),
        )
    console.print(Padding(table, (0, 0, 0, 2)))


def _contest(console: Console, contest: ContestView) -> None:
    unused = f", {contest.unused} not used" if contest.unused else ""
    console.print()
    console.print(
        Text.assemble(
            (contest.scenario, "bold"), f"  {contest.title}, {counted(len(contest.pairs), 'pair')}{unused}"
        )
    )
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    for heading in ("Metric", "Head / base", "Change, 99 % interval", "Verdict", "Detectable", "Pairs"):
        table.add_column(heading, overflow="fold")
    for one in contest.primary:
        table.add_row(*_cells(one))
    console.print(Padding(table, (0, 0, 0, 2)))
    for one in contest.primary:
        if one.note:
            console.print(Padding(Text(f"{one.title}: {one.note}", "dim"), (0, 0, 0, 2)))


def _cells(one: AnswerView) -> tuple[Text, ...]:
    return (
        Text(f"{one.title} {one.where}"),
        Text(one.ratio or "–"),
        Text(one.interval or "–"),
        Text(one.verdict, _STYLES[one.tone]),
        Text(one.detectable or "–"),
        Text(str(one.pairs)),
    )
