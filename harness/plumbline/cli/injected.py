"""`./bench test --injected`: is the effect that a plan prints really found, in a real application?

session of `aa` -> how trials scatter here, what a request costs -> plan: what would be found
    -> so much burnt in every request of one side (setting `spin`) -> session of both sides -> found?
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean

from plumbline.catalog.bench import SuiteSpec
from plumbline.history.extract import extract
from plumbline.history.within import AGAINST_ITSELF
from plumbline.model.errors import UsageError
from plumbline.model.record import Record
from plumbline.record.read import read_record
from plumbline.report import write as write_report
from plumbline.run.planning import plan_session
from plumbline.run.session import planned_session
from plumbline.run.workshop import Workshop, open_workshop
from plumbline.stats.compare import MINIMUM_PAIRS, Comparison, compare, differences
from .console import ROOT
from .progress import TerminalProgress

SUITE = "injected"
SLOWED = "spin"
METRIC = "app_cpu_us_per_request"
PHASE = "closed"
"""Burnt time is CPU time, and CPU time a request is sound on every class of host."""


@dataclass(frozen=True)
class Injected:
    """`words` are the verdicts on equal sides, by question, `cost_us` CPU time a request, `change` what was planned."""

    words: dict[str, str]
    cost_us: float
    pairs: int
    change: float
    basis: str
    spin_us: int
    found: Comparison

    @property
    def kept(self) -> bool:
        """Whether the slowdown was found, and none before it was injected."""
        return self.found.verdict == "slower" and not {"faster", "slower"} & set(self.words.values())

    def lines(self) -> list[str]:
        """What happened, in sentences."""
        found = self.found
        return [
            *(f"Equal sides, {question}: {word}." for question, word in sorted(self.words.items())),
            f"A request costs {self.cost_us:.1f} us of CPU time. With {self.pairs} pairs a change of {self.change:.1%} "
            f"would be found in 95 of 100 sessions ({self.basis}).",
            f"Injected: {self.spin_us} us in every request of one side, {self.spin_us / self.cost_us:.1%}.",
            f"Read: {found.verdict}, {math.expm1(-found.effect):+.1%} CPU time a request (99 % interval "
            f"{math.expm1(-found.high):+.1%} to {math.expm1(-found.low):+.1%}, {found.pairs} pairs).",
        ]


def inject(pairs: int | None, equal: Path | None) -> Injected:
    """Measure, inject, look. `equal` is an earlier session of the suite `aa` that takes the place of the first.

    Raises UsageError for a session of something else.
    """
    with TerminalProgress() as progress:
        workshop = open_workshop(ROOT, (), progress.say)
        like = workshop.catalog.suite(AGAINST_ITSELF)[1]
        count = pairs or like.blocks
        before = _measured(workshop, AGAINST_ITSELF, progress, None) if equal is None else read_record(equal)
        words = extract(before).equal_sides
        if not words:
            raise UsageError(
                f"{before.plan.session} did not measure a subject against itself with pairs enough.",
                f"Name a session of `./bench run --suite {AGAINST_ITSELF}`.",
            )
        (plain,) = before.plan.subjects
        cost_us = fmean(_by_block(before, plain).values())
        # The noise was read before the first session ended: a new workshop reads it again.
        workshop = replace(workshop, histories=() if equal is None else (equal,))
        planned = plan_session(_with_suite(workshop, like, (plain,)), SUITE, blocks=count).detectable
        spin_us = math.ceil((planned.change or 0.0) * cost_us)
        slowed = f"{plain}+{SLOWED}={spin_us}"
        after = _measured(_with_suite(workshop, like, (plain, slowed)), SUITE, progress, count)
    return Injected(
        words=words,
        cost_us=cost_us,
        pairs=count,
        change=planned.change or 0.0,
        basis=planned.basis,
        spin_us=spin_us,
        found=_told_apart(after, plain, slowed),
    )


def _with_suite(workshop: Workshop, like: SuiteSpec, subjects: Sequence[str]) -> Workshop:
    """The workshop with a suite of these subjects, measured like another."""
    bench = workshop.catalog.bench
    suites = {**bench.suites, SUITE: like.model_copy(update={"subjects": tuple(subjects)})}
    catalog = replace(workshop.catalog, bench=bench.model_copy(update={"suites": suites}))
    return replace(workshop, catalog=catalog)


def _measured(workshop: Workshop, suite: str, progress: TerminalProgress, blocks: int | None) -> Record:
    """A real session; its record stays in results/local, its report beside it."""
    done = planned_session(workshop, plan_session(workshop, suite, blocks=blocks), progress).run()
    write_report(done.record, done.evidence, done.folder)
    return done.record


def _by_block(record: Record, subject: str) -> dict[int, float]:
    """CPU time of a request by block, of trials that are not invalid."""
    return {
        trial.block: trial.figures[PHASE][METRIC]
        for trial in record.trials
        if (trial.subject, trial.role) == (subject, "measured")
        and trial.verdict != "invalid"
        and METRIC in trial.figures.get(PHASE, {})
    }


def _told_apart(record: Record, plain: str, slowed: str) -> Comparison:
    base, head = _by_block(record, plain), _by_block(record, slowed)
    pairs = [(base[block], head[block]) for block in sorted(base.keys() & head.keys())]
    if len(pairs) < MINIMUM_PAIRS:
        raise UsageError(
            f"Only {len(pairs)} pairs of {record.plan.session} are without an invalid trial.",
            "See its report, and measure again.",
        )
    return compare(differences(pairs, "lower"))
