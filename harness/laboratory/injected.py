"""`./bench test --injected`: is a slowdown of a known size found in a real application, and are equal sides left alone?

each try: compare a subject with itself -> are the sides told apart? what does a request cost?
          -> burn a share of that cost in every request of one side (setting `spin`)
          -> compare again -> is that side called slower?

Twenty tries take ten hours. So results/injected.json keeps the tries of earlier commands, and the table has them all.
The next command goes on with a try that was interrupted: results/local/injected.json names the sessions of that try.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean

from pydantic import TypeAdapter, ValidationError

from plumbline.archive.record.read import read_record
from plumbline.archive.record.sentence import change_words
from plumbline.archive.record.write import RECORD
from plumbline.cli.console import ROOT, duration
from plumbline.cli.progress import TerminalProgress
from plumbline.machine.tools.git import commit_of
from plumbline.measuring.run.context import Context, open_context
from plumbline.measuring.run.local import find_interrupted
from plumbline.measuring.run.planning import plan_comparison
from plumbline.measuring.run.session import Session, planned_session, resumed_session
from plumbline.measuring.run.sides import Wish, comparison_plan_of
from plumbline.model.base import Frozen
from plumbline.model.comparison import Answer
from plumbline.model.errors import AnswerIsNo, CannotGoOn, UsageError
from plumbline.model.plan import PlannedTrial
from plumbline.model.record import Record
from plumbline.reporting.report import write as write_report
from plumbline.subjects.catalog.catalog import read_catalog
from plumbline.subjects.plan.duration import PREPARE_S, REHEARSAL_S, capacity_s
from plumbline.subjects.plan.phases import scenario_of
from plumbline.verdicts.judge.wording import counted, percent
from plumbline.verdicts.stats.interval import share_interval
from .promises.write import write_live

PLAIN = "vertx-pg/jvm/pg"
SLOWED = "spin"
METRIC = "app_cpu_us_per_request"
"""Burnt time is CPU time, and CPU time per request is a sound metric on every class of host."""

SHARE = 1 / 8
"""The slowdown as a share of the cost of a request: one of this size is promised to be found."""

FOUND_LEAST = 0.95
APART_MOST = 0.05

LEDGER = ROOT / "results" / "injected.json"
BEGUN = ROOT / "results" / "local" / "injected.json"

CONTENDERS = 3
"""The control and both sides, each started once before the trials of a comparison."""


class Try(Frozen):
    """A pair of comparisons of a subject with itself: in `slowed` one side burns `spin_us` in each request.

    Each comparison had `budget_s` seconds of trials on `host`, with the harness of `commit`.
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


class Tries(Frozen):
    """Tries of the same length, on one host or several."""

    tries: tuple[Try, ...]

    @property
    def found(self) -> int:
        """How many slowdowns were found."""
        return sum(attempt.found for attempt in self.tries)

    @property
    def apart(self) -> int:
        """How many equal sides were told apart."""
        return sum(attempt.apart for attempt in self.tries)

    @property
    def kept(self) -> bool:
        """Whether the promises were kept: 19 of 20 slowdowns found, fewer than one of 20 equal sides told apart."""
        count = len(self.tries)
        return self.found >= FOUND_LEAST * count and self.apart < APART_MOST * count

    def lines(self) -> list[str]:
        """Return a Markdown table of the tries, and a sentence that sums them up."""
        count = len(self.tries)
        return [
            f"{duration(self.tries[0].budget_s)} of trials for each comparison; {SHARE * 100:.1f} % of what a request "
            f"of {PLAIN} costs burnt in every request of one side.",
            "",
            f"| {' | '.join(_HEADS)} |",
            "| ---: | --- | --- | ---: | ---: | --- | --- | --- | ---: |",
            *(_row(number, attempt) for number, attempt in enumerate(self.tries, start=1)),
            "",
            f"The slowdown was found in {self.found} of {counted(count, 'try', 'tries')} "
            f"({_interval(self.found, count)}), equal sides were told apart in {self.apart} "
            f"({_interval(self.apart, count)}).{self._read}",
        ]

    @property
    def _read(self) -> str:
        """A sentence on how much dearer the slowed sides read; empty where none has a ratio."""
        ratios = [attempt.slowed.ratio for attempt in self.tries if attempt.slowed.ratio is not None]
        if not ratios:
            return ""
        dearer = f"{percent(min(ratios) - 1)} to {percent(max(ratios) - 1)}"
        return f" The slowed sides read {dearer} dearer, for {SHARE * 100:.1f} % burnt."


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


class Begun(Frozen):
    """The sessions of a try that has begun: first with equal sides, then with a slowed side."""

    commit: str | None
    budget_s: float
    sessions: tuple[str, ...] = ()


class OpenTry:
    """The try that is being made. `file` keeps its sessions until it ends; with None they are not kept.

    A try of another commit or another length is not continued.
    """

    def __init__(self, file: Path | None, commit: str | None, budget_s: float) -> None:
        self._file = file
        self._begun = self._fresh = Begun(commit=commit, budget_s=budget_s)
        if file is not None and file.exists():
            with contextlib.suppress(ValidationError):
                earlier_try = Begun.model_validate_json(file.read_bytes())
                if earlier_try.model_copy(update={"sessions": ()}) == self._fresh:
                    self._begun = earlier_try

    @property
    def lasts(self) -> bool:
        """Whether a later command can go on with this try."""
        return self._file is not None

    def session(self, place: int) -> str | None:
        """Return the session of the first or second comparison (0 or 1); None if that comparison has not begun."""
        return self._begun.sessions[place] if place < len(self._begun.sessions) else None

    def begin(self, place: int, session: str) -> None:
        """Write down that a comparison begins, and its session."""
        sessions = (*self._begun.sessions[:place], session)
        self._begun = self._fresh.model_copy(update={"sessions": sessions})
        if self._file is not None:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            self._file.write_text(self._begun.model_dump_json(indent=1) + "\n")

    def end(self) -> None:
        """Forget the sessions of this try, which is in the ledger now: the next try begins."""
        self._begun = self._fresh
        if self._file is not None:
            self._file.unlink(missing_ok=True)


class TriesProgress(TerminalProgress):
    """The progress of one of several comparisons: the time left is that of all, `later_s` for those after this one."""

    later_s = 0.0

    def trial_began(self, trial: PlannedTrial, count: int, of: int, remaining_s: float) -> None:
        """Note that a trial starts."""
        super().trial_began(trial, count, of, remaining_s + self.later_s)


def preparation_s() -> float:
    """Return expected seconds before the first trial of a comparison: all start once, and the base finds the rate."""
    catalog = read_catalog(ROOT)
    _, suite = catalog.suite(catalog.bench.compare_suite)
    scenarios = [scenario_of(name, catalog.scenario(name), suite) for name in suite.scenarios]
    return PREPARE_S + REHEARSAL_S * CONTENDERS + sum(map(capacity_s, scenarios))


def inject(tries: int, budget_s: float, ledger: Path | None, page: Path) -> Tries:
    """Make so many tries, and return all tries: with a ledger also the tries of earlier commands.

    After each try the ledger has it, and the page has the table of all tries. A try that an earlier command with a
    ledger left unfinished is continued.
    Raises AnswerIsNo when no trial of a comparison counts, and UsageError for a ledger that can't be read, or that has
    tries of another length.
    """
    all_tries: tuple[Try, ...] = () if ledger is None else read_tries(ledger, budget_s)
    open_try = OpenTry(None if ledger is None else BEGUN, commit_of(ROOT)[0], budget_s)
    each_s = preparation_s() + budget_s
    progress = TriesProgress()
    with progress:
        context = open_context(ROOT, (), progress.say)

        def compare_sides(number: int, place: int, head: str, description: str) -> Record:
            progress.later_s = each_s * (2 * (tries - number) + 1 - place)
            time_left = duration(progress.later_s + each_s)
            progress.say(f"try {number} of {tries}: {description}; about {time_left} left for all")
            return _compared(context.with_own_placement(), head, budget_s, progress, open_try, place)

        def make_try(number: int) -> Try:
            equal_record = compare_sides(number, 0, PLAIN, "equal sides")
            cost_us = _cost_us(equal_record)
            spin_us = math.ceil(SHARE * cost_us)
            slowed_subject = f"{PLAIN}+{SLOWED}={spin_us}"
            slowed_record = compare_sides(number, 1, slowed_subject, f"{spin_us} µs of {cost_us:.0f} burnt on one side")
            return Try(
                host=context.host_name,
                commit=equal_record.provenance.commit,
                budget_s=budget_s,
                cost_us=cost_us,
                spin_us=spin_us,
                equal=_answer(equal_record),
                slowed=_answer(slowed_record),
            )

        for number in range(1, tries + 1):
            try:
                all_tries += (make_try(number),)
            except AnswerIsNo:
                # The next command would read the same finished session again.
                open_try.end()
                raise
            result = Tries(tries=all_tries)
            if ledger is not None:
                ledger.write_bytes(_TRIES.dump_json(all_tries, indent=1) + b"\n")
                write_live(page, result.lines())
            open_try.end()
    return result


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
    others = {attempt.budget_s for attempt in tries} - {budget_s}
    if others:
        raise UsageError(
            f"{ledger} has tries of {duration(min(others))}; they can't be counted with those of {duration(budget_s)}.",
            f"Ask for --budget {min(others):.0f}s, or leave out --write.",
        )
    return tries


def _compared(
    context: Context, head: str, budget_s: float, progress: TerminalProgress, open_try: OpenTry, place: int
) -> Record:
    """Run a real comparison, or the rest of an interrupted one; its record and report stay in results/local."""
    session_name = open_try.session(place)
    if session_name is not None and (context.paths.results / session_name / RECORD).is_file():
        return read_record(context.paths.results / session_name)
    session = None if session_name is None else _interrupted(context, session_name, progress)
    if session is None:
        wish = Wish(budget_s=budget_s)
        plan = plan_comparison(context, comparison_plan_of(context, PLAIN, head, wish), wish)
        open_try.begin(place, plan.session)
        session = planned_session(context, plan, progress)
    try:
        outcome = session.run()
    except CannotGoOn as error:
        if not open_try.lasts:
            raise
        hint = "`./bench test --injected --write` goes on with this try."
        raise CannotGoOn(error.problem, f"{error.next_step} {hint}".strip()) from error
    write_report(outcome.record, outcome.evidence, outcome.folder)
    return outcome.record


def _interrupted(context: Context, name: str, progress: TerminalProgress) -> Session | None:
    """Return the interrupted session of that name, ready to go on; None if no folder of it is left."""
    try:
        folder, _ = find_interrupted(context.paths.results, name)
    except UsageError:
        return None
    return resumed_session(context, folder, progress)


def _answer(record: Record) -> Answer:
    """Return the answer by CPU time per request, of closed load where there is one; on a lab it does not lead."""
    answers: Sequence[Answer] = () if record.comparison is None else record.comparison.answers
    by_cpu_time = next((answer for answer in answers if answer.metric == METRIC), None)
    if by_cpu_time is None:
        raise AnswerIsNo(f"{record.plan.session} did not ask for CPU time per request.", "See its report.")
    return by_cpu_time


def _cost_us(record: Record) -> float:
    """Return the CPU time of a request of the base side: the mean of its trials that count."""
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


def _row(number: int, attempt: Try) -> str:
    answer = attempt.slowed
    ratio_text = "" if answer.ratio is None else change_words(answer).replace("99 % interval ", "")
    cells = (
        f"{number}",
        attempt.host,
        "" if attempt.commit is None else f"`{attempt.commit[:12]}`",
        f"{attempt.cost_us:.0f}",
        f"{attempt.spin_us}",
        attempt.equal.words,
        answer.words,
        ratio_text,
        f"{answer.pairs}",
    )
    return f"| {' | '.join(cells)} |"


def _interval(occurrences: int, tries: int) -> str:
    low, high = share_interval(occurrences, tries)
    return f"95 % interval {low * 100:.0f} % to {high * 100:.0f} %"
