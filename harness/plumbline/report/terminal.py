"""The report for a terminal: who is ahead, whether to trust it, and why trials are left out."""

from __future__ import annotations

from collections.abc import Mapping

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from plumbline.model.evidence import Evidence
from plumbline.model.record import Record
from .compose import compose
from .frame import framed
from .terminal_comparison import print_comparison, print_reproduction
from .view import Reason, Row, Standings, View

_VERDICT_STYLES = {"valid": "bold green", "advisory": "bold yellow", "invalid": "bold red"}
_OUTCOME_STYLES = {"invalid": "red", "warn": "yellow"}
# More trials than this are counted instead of listed.
_MOST_LISTED = 6


def render(record: Record, evidence: Mapping[int, Evidence], width: int, colour: bool) -> str:
    """The report as text of at most `width` columns; with escape sequences only when `colour` is set."""
    view = compose(record, evidence)
    return framed(lambda console: _print(console, view), width, colour)


def _print(console: Console, view: View) -> None:
    console.print()
    if view.reproduction is not None:
        print_reproduction(console, view.reproduction)
        console.print()
    if view.comparison is not None:
        print_comparison(console, view.comparison)
        console.print()
    style = _VERDICT_STYLES[view.trust.verdict]
    console.print(Text.assemble((view.trust.word, style), f"  {view.session}, suite {view.suite}"))
    for sentence in (*view.trust.sentences, *view.trust.cautions):
        console.print(Padding(Text(sentence), (0, 0, 0, 2)))
    for scenario in view.scenarios:
        console.print()
        console.print(Text(f"{scenario.id}  {scenario.operation}", "bold"))
        console.print(Padding(Text(scenario.steady), (0, 0, 0, 2)))
        claimed = {claim.metric for claim in scenario.claims}
        for standings in (one for one in scenario.lead if one.metric in claimed):
            _table(console, standings)
        if scenario.bounded:
            console.print()
            console.print(Padding(Text("Throughput, and what limited it:", "bold"), (0, 0, 0, 2)))
            for limit in scenario.limits:
                console.print(Padding(Text(limit, "dim"), (0, 0, 0, 2)))
        for standings in (one for one in scenario.bounded if one.metric in claimed):
            _table(console, standings)
    _reasons(console, view)


def _table(console: Console, standings: Standings) -> None:
    table = Table(box=None, pad_edge=False, show_header=False, padding=(0, 2, 0, 0))
    table.add_column(justify="right", style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    table.add_column(justify="right", no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(style="dim")
    for row in standings.rows:
        table.add_row(*_cells(row, standings.unit))
    if standings.control is not None:
        table.add_row(*_cells(standings.control, standings.unit), style="dim")
    console.print()
    console.print(Padding(Text.assemble((standings.title, "bold"), f", {standings.where}"), (0, 0, 0, 2)))
    console.print(Padding(Text(f"{standings.said} {standings.next}".strip()), (0, 0, 0, 2)))
    console.print(Padding(table, (0, 0, 0, 2)))


def _cells(row: Row, unit: str) -> tuple[Text, ...]:
    rank = "" if row.rank is None else f"{row.rank}{'=' if row.tied else ''}"
    ratio = "" if row.ratio is None or row.name.mark is None else f"{row.ratio:.2f} x control"
    left_out = f", {row.left_out} left out" if row.left_out else ""
    trials = f"{row.trials} trial{'' if row.trials == 1 else 's'}{left_out}"
    figure = row.text if row.mean is None else f"{row.text} {unit}"
    return Text(rank), Text(row.name.short), Text(figure), Text(ratio), Text(trials)


def _reasons(console: Console, view: View) -> None:
    for outcome, heading in (("invalid", "Invalid, left out of every figure"), ("warn", "In doubt")):
        found = [reason for reason in view.reasons if reason.outcome == outcome]
        if not found:
            continue
        console.print()
        console.print(Text(heading, f"bold {_OUTCOME_STYLES[outcome]}"))
        for reason in found:
            console.print(Padding(Text(_who(reason), "bold"), (0, 0, 0, 2)))
            for reading in reason.readings:
                console.print(Padding(Text(reading), (0, 0, 0, 4)))
    console.print()
    console.print(Text.assemble("Check it:  ", (view.verify, "bold")))


def _who(reason: Reason) -> str:
    rule = "" if reason.rule is None else f"{reason.rule} "
    concerned = "; ".join(f"{name.short} {_numbers(trials)}" for name, trials in reason.trials)
    return f"{rule}{reason.title}: {concerned}"


def _numbers(trials: tuple[int, ...]) -> str:
    if len(trials) > _MOST_LISTED:
        return f"({len(trials)} trials)"
    return f"(trial{'' if len(trials) == 1 else 's'} {', '.join(map(str, trials))})"
