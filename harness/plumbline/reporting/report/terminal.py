"""The summary for a terminal, on one screen: the answer, the results by class, what was refused and why, what to read.

Every reading, figure and chart stands in report.html and report.md beside the record.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import TypeVar

from rich.console import Console
from rich.text import Text

from plumbline.model.evidence import Evidence
from plumbline.model.record import Record
from plumbline.verdicts.judge.wording import counted
from .comparison_view import ComparisonView, ReproductionView
from .compose import compose
from .terminal_comparison import print_comparison, print_reproduction
from .terminal_scenario import scenario_lines
from .view import Reason, ScenarioView, View

LINES = 36
"""The lines of a report on a screen of 40 lines; the command's own last words take the rest."""

Part = TypeVar("Part")

_VERDICT_STYLES = {"valid": "bold green", "advisory": "bold yellow", "invalid": "bold red"}
# Of the tone of a result: what somebody has to look at comes first.
_URGENCY = {"worse": 0, "better": 1, "open": 2, "same": 3}
_MOST_REFUSED = 6
# A reading of less than this tells nothing.
_LEAST_READING = 24


def render(
    record: Record, evidence: Mapping[int, Evidence], width: int, colour: bool, kept: str | None = None
) -> str:
    """Return the summary in at most `width` columns and LINES lines; with escape sequences only if `colour` is set.

    `kept` is the folder of the record, as for `compose`.
    """
    view = compose(record, evidence, kept)
    return framed(lambda console: _print(console, view), width, colour)


def _print(console: Console, view: View) -> None:
    head, tail = (
        [*_trust(view)],
        [*_refused(view, console.width), Text.assemble("Check it:  ", (view.verify, "bold"))],
    )
    left = LINES - _height(console, (*head, *tail)) - 1
    if view.reproduction is not None:
        left -= _reproduction(console, view.reproduction, left)
    if view.comparison is not None:
        left -= _comparison(console, view.comparison, left)
    for line in (*head, *_scenarios(console, view.scenarios, left), *tail):
        console.print(line)


def _comparison(console: Console, view: ComparisonView, room: int) -> int:
    """Print a comparison with as many contests as there is room for, rather those that moved; return its lines."""
    return _as_many(
        console,
        view.contests,
        lambda one: min((_URGENCY[its.tone] for its in one.primary), default=len(_URGENCY)),
        lambda to, contests: print_comparison(to, replace(view, contests=contests)),
        room,
        "more contest",
    )


def _reproduction(console: Console, view: ReproductionView, room: int) -> int:
    """Print a repeated session with as many ratios as fit, rather those that disagree; return its lines."""
    return _as_many(
        console,
        view.rows,
        lambda one: _URGENCY[one.tone],
        lambda to, rows: print_reproduction(to, replace(view, rows=rows)),
        room,
        "more ratio",
    )


def _as_many(
    console: Console,
    parts: tuple[Part, ...],
    urgency: Callable[[Part], int],
    write: Callable[[Console, tuple[Part, ...]], None],
    room: int,
    noun: str,
) -> int:
    """Print as many parts as fit into `room` lines, at least one, and count the others; return the lines printed."""
    by_urgency = sorted(range(len(parts)), key=lambda at: urgency(parts[at]))

    def first(count: int) -> tuple[Part, ...]:
        return tuple(parts[at] for at in sorted(by_urgency[:count]))

    def lines(count: int) -> int:
        printed = framed(lambda to: write(to, first(count)), console.width, False)
        return printed.count("\n") + (count < len(parts)) + 1

    # A part has a line at least, so that no more parts than lines are tried.
    most = min(len(parts), room)
    count = next((count for count in range(most, 1, -1) if lines(count) <= room), min(1, len(parts)))
    write(console, first(count))
    if count < len(parts):
        console.print(Text(f"{counted(len(parts) - count, noun)}: see the report.", "dim"))
    console.print()
    return lines(count)


def _scenarios(console: Console, scenarios: tuple[ScenarioView, ...], left: int) -> Iterable[Text]:
    """Return the lines of as many scenarios as there is room for, each with its answer at least."""
    shown: list[Text] = []
    for place, scenario in enumerate(scenarios):
        rest = len(scenarios) - place
        room = left - _height(console, shown)
        lines = scenario_lines(
            scenario, console.width, lambda its: _height(console, its), room // rest - (rest > 1)
        )
        if lines is None or _height(console, lines) + (rest > 1) > room:
            shown.append(Text(f"{counted(rest, 'more workload')}: see the report.", "dim"))
            break
        shown += lines
    return shown


def _height(console: Console, lines: Iterable[Text]) -> int:
    return sum(len(line.wrap(console, console.width)) for line in lines)


def _trust(view: View) -> Iterable[Text]:
    yield Text.assemble(
        (view.trust.word, _VERDICT_STYLES[view.trust.verdict]),
        f"  {view.session}, suite {view.suite}. {' '.join(view.trust.sentences)}",
    )
    for caution in view.trust.short:
        yield Text(caution, "dim")


def _refused(view: View, width: int) -> Iterable[Text]:
    """Yield a line for each reason why something is left out, and a line for all doubts."""
    refused = [one for one in view.reasons if one.outcome == "invalid"]
    doubts = [one for one in view.reasons if one.outcome == "warn"]
    if refused:
        yield Text("Refused, and in no figure:", "bold red")
        for reason in refused[:_MOST_REFUSED]:
            yield Text(_line(reason, width))
        if len(refused) > _MOST_REFUSED:
            yield Text(f"  and {counted(len(refused) - _MOST_REFUSED, 'more reason')}: see the report.")
    if doubts:
        named = ", ".join(one.rule or one.title for one in doubts)
        yield Text.assemble(
            ("In doubt: ", "yellow"), f"{named}; `./bench explain {doubts[0].rule}` tells a rule."
        )


def _line(reason: Reason, width: int) -> str:
    rule = "" if reason.rule is None else f"{reason.rule} "
    trials = sum(len(numbers) for _, numbers in reason.trials)
    line = f"  {rule}{reason.title}, {counted(trials, 'trial')}: "
    room = width - len(line)
    reading = reason.readings[0] if reason.readings else ""
    if room < _LEAST_READING:
        return line.rstrip(": ")[:width]
    return line + (reading if len(reading) <= room else f"{reading[: room - 1]}…")


def framed(write: Callable[[Console], None], width: int, colour: bool) -> str:
    """Return what `write` prints, in at most `width` columns; with escape sequences only when `colour` is set."""
    console = Console(
        file=io.StringIO(),
        width=width,
        force_terminal=colour,
        color_system="standard" if colour else None,
        markup=False,
        emoji=False,
        highlight=False,
        legacy_windows=False,
        _environ={},
    )
    with console.capture() as captured:
        write(console)
    return "\n".join(line.rstrip() for line in captured.get().splitlines()) + "\n"
