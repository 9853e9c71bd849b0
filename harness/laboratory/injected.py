"""`./bench test --injected`: is a slowdown of a known size found in a real application, and equal sides left alone?

each try: compare a subject with itself -> told apart? what does a request cost?
          -> so much burnt in every request of one side (setting `spin`) -> compare again -> called slower?

Twenty tries take ten hours. So results/injected.json keeps the tries of earlier commands, and the table has them all.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean

from pydantic import TypeAdapter, ValidationError

from plumbline.cli.console import ROOT, duration
from plumbline.cli.progress import TerminalProgress
from plumbline.judge.wording import counted
from plumbline.model.base import Frozen
from plumbline.model.comparison import Answer
from plumbline.model.errors import AnswerIsNo, UsageError
from plumbline.model.record import Record
from plumbline.record.sentence import moved
from plumbline.report import write as write_report
from plumbline.run.context import Context, open_context
from plumbline.run.planning import plan_comparison
from plumbline.run.session import planned_session
from plumbline.run.sides import Wish, asked_of
from plumbline.stats.interval import share_interval
from .promises.write import write_live

PLAIN = "vertx-pg/jvm/pg"
SLOWED = "spin"
METRIC = "app_cpu_us_per_request"
"""Burnt time is CPU time, and CPU time a request is sound on every class of host."""

SHARE = 1 / 8
"""Of what a request costs: so large a slowdown is promised to be found."""

FOUND_LEAST = 0.95
APART_MOST = 0.05

LEDGER = ROOT / "results" / "injected.json"


class Try(Frozen):
    """A pair of comparisons: `equal` of a subject with itself, `slowed` with `spin_us` burnt in each request.

    Each of the two had `budget_s` seconds of trials on `host`, with the harness of `commit`.
    """

    host: str
    commit: str | None
    budget_s: float
    cost_us: float
    spin_us: int
    equal: Answer
    slowed: Answer

    @property
    def found(self) -> bool:
        """Whether the slowed side was called slower."""
        return self.slowed.verdict == "slower"

    @property
    def apart(self) -> bool:
        """Whether equal sides were called faster or slower."""
        return self.equal.verdict in ("faster", "slower")


class Injected(Frozen):
    """Tries of the same length, on one host or several."""

    tries: tuple[Try, ...]

    @property
    def found(self) -> int:
        """How many slowdowns were found."""
        return sum(one.found for one in self.tries)

    @property
    def apart(self) -> int:
        """How many equal sides were told apart."""
        return sum(one.apart for one in self.tries)

    @property
    def kept(self) -> bool:
        """Whether what is promised was seen: found in 19 of 20, equal sides told apart in fewer than one of 20."""
        count = len(self.tries)
        return self.found >= FOUND_LEAST * count and self.apart < APART_MOST * count

    def lines(self) -> list[str]:
        """A Markdown table of the tries, and what they say together."""
        count = len(self.tries)
        return [
            f"{duration(self.tries[0].budget_s)} of trials for each comparison; {SHARE * 100:.1f} % of what a request "
            f"of {PLAIN} costs burnt in every request of one side.",
            "",
            f"| {' | '.join(_HEADS)} |",
            "| ---: | --- | --- | ---: | ---: | --- | --- | --- | ---: |",
            *(_row(number, one) for number, one in enumerate(self.tries, start=1)),
            "",
            f"The slowdown was found in {self.found} of {counted(count, 'try', 'tries')} "
            f"({_interval(self.found, count)}), equal sides were told apart in {self.apart} "
            f"({_interval(self.apart, count)}).",
        ]


_HEADS = (
    "try",
    "host",
    "commit",
    "a request, µs",
    "burnt, µs",
    "equal sides",
    "slowed side",
    "read (99 % interval)",
    "pairs",
)
_TRIES = TypeAdapter(tuple[Try, ...])


def inject(tries: int, budget_s: float, ledger: Path | None, page: Path) -> Injected:
    """Measure, inject, look, so many times, and return all tries: with a ledger those of earlier commands as well.

    After each try the ledger has it, and the page has the table of all.
    Raises AnswerIsNo when no trial of a comparison counts, and UsageError for a ledger that can't be read, or that has
    tries of another length.
    """
    done: tuple[Try, ...] = () if ledger is None else read_tries(ledger, budget_s)
    with TerminalProgress() as progress:
        context = open_context(ROOT, (), progress.say)
        for number in range(1, tries + 1):
            progress.say(f"try {number} of {tries}: equal sides")
            before = _compared(context, PLAIN, budget_s, progress)
            cost_us = _cost_us(before)
            spin_us = math.ceil(SHARE * cost_us)
            progress.say(f"try {number} of {tries}: {spin_us} µs of {cost_us:.0f} burnt on one side")
            after = _compared(context.again(), f"{PLAIN}+{SLOWED}={spin_us}", budget_s, progress)
            done += (
                Try(
                    host=context.host_name,
                    commit=before.provenance.commit,
                    budget_s=budget_s,
                    cost_us=cost_us,
                    spin_us=spin_us,
                    equal=_answer(before),
                    slowed=_answer(after),
                ),
            )
            so_far = Injected(tries=done)
            if ledger is not None:
                ledger.write_bytes(_TRIES.dump_json(done, indent=1) + b"\n")
                write_live(page, so_far.lines())
            context = context.again()
    return so_far


def read_tries(ledger: Path, budget_s: float) -> tuple[Try, ...]:
    """Read the tries of earlier commands; none where there is no file.

    Raises UsageError where the file has something else, or tries of another length.
    """
    try:
        tries = _TRIES.validate_json(ledger.read_bytes())
    except FileNotFoundError:
        return ()
    except ValidationError as error:
        raise UsageError(
            f"{ledger} is no list of tries: {error.errors()[0]['msg']}.",
            "`./bench test --injected --write` makes it; take it back from git.",
        ) from error
    others = {one.budget_s for one in tries} - {budget_s}
    if others:
        raise UsageError(
            f"{ledger} has tries of {duration(min(others))}; they can't be counted with those of {duration(budget_s)}.",
            f"Ask for --budget {min(others):.0f}s, or leave out --write.",
        )
    return tries


def _compared(context: Context, head: str, budget_s: float, progress: TerminalProgress) -> Record:
    """A real comparison; its record stays in results/local, its report beside it."""
    wish = Wish(budget_s=budget_s)
    asked = asked_of(context, PLAIN, head, wish)
    done = planned_session(context, plan_comparison(context, asked, wish), progress).run()
    write_report(done.record, done.evidence, done.folder)
    return done.record


def _answer(record: Record) -> Answer:
    """The answer by CPU time per request."""
    answers: Sequence[Answer] = () if record.comparison is None else record.comparison.answers
    found = next((one for one in answers if one.metric == METRIC and one.primary), None)
    if found is None:
        raise AnswerIsNo(f"{record.plan.session} did not ask for CPU time per request.", "See its report.")
    return found


def _cost_us(record: Record) -> float:
    """CPU time of a request of the first side, in the mean of its trials that count."""
    phase = _answer(record).phase
    values = [
        trial.figures[phase][METRIC]
        for trial in record.trials
        if trial.side == "base" and trial.verdict != "invalid" and METRIC in trial.figures.get(phase, {})
    ]
    if not values:
        raise AnswerIsNo(
            f"No trial of {record.plan.session} says what a request of a warm {PLAIN} costs.",
            "See why in its report, and measure again.",
        )
    return fmean(values)


def _row(number: int, one: Try) -> str:
    its = one.slowed
    read = "" if its.ratio is None else moved(its).replace("99 % interval ", "")
    cells = (
        f"{number}",
        one.host,
        "" if one.commit is None else f"`{one.commit[:12]}`",
        f"{one.cost_us:.0f}",
        f"{one.spin_us}",
        one.equal.words,
        its.words,
        read,
        f"{its.pairs}",
    )
    return f"| {' | '.join(cells)} |"


def _interval(happened: int, tries: int) -> str:
    low, high = share_interval(happened, tries)
    return f"95 % interval {low * 100:.0f} % to {high * 100:.0f} %"
