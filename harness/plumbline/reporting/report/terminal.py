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
"""The most lines of a report, for a screen of 40 lines; the last lines of the command itself take the others."""

Part = TypeVar("Part")

_VERDICT_STYLES = {"valid": "bold green", "advisory": "bold yellow", "invalid": "bold red"}
# By the tone of a result: a result that somebody has to look at comes first.
_URGENCY = {"worse": 0, "better": 1, "open": 2, "same": 3}
_MOST_REFUSED = 6
# A reading cut to fewer characters than this tells nothing.
_LEAST_READING = 24


def render(
    record: Record,
    evidence: Mapping[int, Evidence],
    width: int,
    colour: bool,
    record_folder: str | None = None,
) -> str:
    """Return the summary in at most `width` columns and LINES lines; with escape sequences only if `colour` is set.

    `record_folder` is the folder of the record, as for `compose`.
    """
    view = compose(record, evidence, record_folder)
    return printed_text(lambda console: _print(console, view), width, colour)


def _print(console: Console, view: View) -> None:
    head, tail = (
        [*_trust(view)],
        [*_refused(view, console.width), Text.assemble("Check it:  ", (view.verify, "bold"))],
    )
    room = LINES - _height(console, (*head, *tail)) - 1
    if view.reproduction is not None:
        room -= _print_fitting_reproduction(console, view.reproduction, room)
    if view.comparison is not None:
        room -= _print_fitting_comparison(console, view.comparison, room)
    for line in (*head, *_scenarios(console, view.scenarios, room), *tail):
        console.print(line)


def _print_fitting_comparison(console: Console, view: ComparisonView, room: int) -> int:
    """Print a comparison with as many contests as fit, preferring contests with a change; return its height."""
    return _print_as_many_as_fit(
        console,
        view.contests,
        lambda contest: min((_URGENCY[answer.tone] for answer in contest.primary), default=len(_URGENCY)),
        lambda target, contests: print_comparison(target, replace(view, contests=contests)),
        room,
        "more contest",
    )


def _print_fitting_reproduction(console: Console, view: ReproductionView, room: int) -> int:
    """Print a repeated session with as many ratios as fit, preferring ratios that disagree; return its height."""
    return _print_as_many_as_fit(
        console,
        view.rows,
        lambda row: _URGENCY[row.tone],
        lambda target, rows: print_reproduction(target, view.model_copy(update={"rows": rows})),
        room,
        "more ratio",
    )


def _print_as_many_as_fit(
    console: Console,
    parts: tuple[Part, ...],
    urgency: Callable[[Part], int],
    write: Callable[[Console, tuple[Part, ...]], None],
    room: int,
    noun: str,
) -> int:
    """Print as many parts as fit into `room` lines, at least one, and count the others; return their height."""
    by_urgency = sorted(range(len(parts)), key=lambda index: urgency(parts[index]))

    def most_urgent(count: int) -> tuple[Part, ...]:
        return tuple(parts[index] for index in sorted(by_urgency[:count]))

    def height_of(count: int) -> int:
        printed = printed_text(lambda target: write(target, most_urgent(count)), console.width, False)
        return printed.count("\n") + (count < len(parts)) + 1

    # Each part takes at least one line, so more parts than lines are never tried.
    most = min(len(parts), room)
    count = next((count for count in range(most, 1, -1) if height_of(count) <= room), min(1, len(parts)))
    write(console, most_urgent(count))
    if count < len(parts):
        console.print(Text(f"{counted(len(parts) - count, noun)}: see the report.", "dim"))
    console.print()
    return height_of(count)


def _scenarios(console: Console, scenarios: tuple[ScenarioView, ...], total_room: int) -> Iterable[Text]:
    """Return the lines of as many scenarios as fit, each with at least its answer."""
    shown: list[Text] = []
    for place, scenario in enumerate(scenarios):
        remaining = len(scenarios) - place
        room = total_room - _height(console, shown)
        lines = scenario_lines(
            scenario,
            console.width,
            lambda texts: _height(console, texts),
            room // remaining - (remaining > 1),
        )
        if lines is None or _height(console, lines) + (remaining > 1) > room:
            shown.append(Text(f"{counted(remaining, 'more workload')}: see the report.", "dim"))
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
    refused = [reason for reason in view.reasons if reason.outcome == "invalid"]
    doubts = [reason for reason in view.reasons if reason.outcome != "invalid"]
    if refused:
        yield Text("Refused, and in no figure:", "bold red")
        for reason in refused[:_MOST_REFUSED]:
            yield Text(_reason_line(reason, width))
        if len(refused) > _MOST_REFUSED:
            yield Text(f"  and {counted(len(refused) - _MOST_REFUSED, 'more reason')}: see the report.")
    if doubts:
        doubtful_rules = ", ".join(reason.rule or reason.title for reason in doubts)
        yield Text.assemble(
            ("In doubt: ", "yellow"), f"{doubtful_rules}; `./bench explain {doubts[0].rule}` tells a rule."
        )


def _reason_line(reason: Reason, width: int) -> str:
    rule = "" if reason.rule is None else f"{reason.rule} "
    trials = sum(len(numbers) for _, numbers in reason.trials)
    line = f"  {rule}{reason.title}, {counted(trials, 'trial')}: "
    room = width - len(line)
    reading = reason.readings[0] if reason.readings else ""
    if room < _LEAST_READING:
        return line.rstrip(": ")[:width]
    return line + (reading if len(reading) <= room else f"{reading[: room - 1]}…")


def printed_text(write: Callable[[Console], None], width: int, colour: bool) -> str:
    """Return the text that `write` prints, in at most `width` columns; escape sequences only when `colour` is set."""
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
