"""Find out which orders within a class are decided: a session with a budget goes on until all of them are, or says why
it ended.

In each scenario one figure leads: throughput of closed load, or CPU time per request on a small host, where the host
bounds throughput. Standings decide whether two subjects differ, here as everywhere.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from plumbline.model.data_access import AccessClass
from plumbline.model.evidence import Evidence
from plumbline.model.host import HostClass
from plumbline.model.plan import Plan, Scenario
from plumbline.model.record import SessionEnd, Steadiness, Trial, Undecided
from plumbline.verdicts.figures.metrics import METRICS, Metric
from plumbline.verdicts.figures.series import rounded
from plumbline.verdicts.judge.wording import counted, uncapitalized
from plumbline.verdicts.stats.compare import MINIMUM_PAIRS
from plumbline.verdicts.stats.interval import mean
from plumbline.verdicts.stats.ranking import RankedPair
from .claim import further_blocks, standing_words, would_decide
from .ran import took_s
from .standings import of_metric

# No session waits for a subject of which no trial counts after so many trials.
HOPELESS_AFTER = 3


@dataclass(frozen=True)
class SubjectOrder:
    """The order of two subjects of one class under one scenario, by the metric that leads there; None where none does.

    `pair` is how `other` stands against `one`, None while too few of their blocks count. As in standings `one` is the
    subject that looks better.
    """

    scenario: str
    access: AccessClass
    metric: Metric | None
    one: str
    other: str
    pair: RankedPair | None
    hopeless: bool

    @property
    def decided(self) -> bool:
        """Whether one subject is better, or both are equivalent, and no drift within proven bounds could change it."""
        return self.pair is not None and self.pair.verdict != "inconclusive"

    @property
    def turned(self) -> SubjectOrder:
        """The same order with the subjects exchanged."""
        return replace(self, one=self.other, other=self.one, pair=self.pair and self.pair.turned)

    @property
    def worth_more(self) -> bool:
        """Whether another block may decide the order."""
        return not self.decided and not self.hopeless

    @property
    def words(self) -> str:
        """Return how the other subject stands against the first one, and what would decide an open order."""
        if self.hopeless:
            return f"no trial of one of them counted in {HOPELESS_AFTER} blocks"
        if self.pair is None or self.metric is None or self.metric.better is None:
            return f"no verdict before {MINIMUM_PAIRS} blocks in which both were steady"
        standing = standing_words(self.pair, self.metric.better)
        by = uncapitalized(self.metric.title)
        return f"{by} {standing}" if self.decided else f"{by} undecided, {standing}. {would_decide(self.pair)}"

    @property
    def further_blocks(self) -> int | None:
        """Return how many more blocks would decide the order; None if it is decided, hopeless, or out of reach."""
        return further_blocks(self.pair) if self.worth_more and self.pair is not None else None


def leading_figure(scenario: Scenario, host_class: HostClass) -> tuple[str, str] | None:
    """Return (phase, metric) of the figure that orders the subjects; None without closed or open load."""
    closed_phase = next((phase.name for phase in scenario.phases if phase.kind == "closed"), None)
    if closed_phase is None:
        open_phase = next((phase.name for phase in scenario.phases if phase.kind == "open"), None)
        return None if open_phase is None else (open_phase, "app_cpu_us_per_request")
    return closed_phase, "app_cpu_us_per_request" if host_class == "small" else "throughput_per_s"


def orders(plan: Plan, trials: Sequence[Trial], proven: Sequence[Steadiness]) -> tuple[SubjectOrder, ...]:
    """Return every two subjects of a class under each scenario, by the trials that were judged so far.

    `proven` is what the phases of these trials proved of their drift.
    """
    found: list[SubjectOrder] = []
    for scenario in plan.scenarios:
        leading = leading_figure(scenario, plan.host_class)
        metric = None if leading is None else METRICS[leading[1]]
        standings = (
            None if leading is None or metric is None else of_metric(plan, scenario, leading[0], metric, trials, proven)
        )
        subjects_of_scenario = {trial.subject for trial in plan.trials if trial.scenario == scenario.id}
        for access in ("orm", "sql", "none"):
            of_class = [
                subject
                for subject in plan.subjects
                if subject in subjects_of_scenario and plan.class_of(subject, scenario) == access
            ]
            for first, second in combinations(of_class, 2):
                pair = None if standings is None else standings.rankings[access].between(second, first)
                hopeless = any(_is_hopeless(subject, scenario.id, trials) for subject in (first, second))
                order = SubjectOrder(scenario.id, access, metric, first, second, pair, hopeless)
                found.append(order if pair is None or pair.comparison.effect <= 0 else order.turned)
    return tuple(found)


def _is_hopeless(subject: str, scenario: str, trials: Sequence[Trial]) -> bool:
    """Return whether all trials of a subject are invalid.

    A subject that is not proven steady yet is not hopeless, since more trials may prove it.
    """
    trials_of_subject = [
        trial for trial in trials if (trial.subject, trial.scenario, trial.role) == (subject, scenario, "measured")
    ]
    return len(trials_of_subject) >= HOPELESS_AFTER and all(trial.verdict == "invalid" for trial in trials_of_subject)


def ended(
    plan: Plan, trials: Sequence[Trial], evidence: Mapping[int, Evidence], proven: Sequence[Steadiness] = ()
) -> SessionEnd | None:
    """Return the end of the session; None for a session without a budget, or one that ends where a record ended."""
    if plan.budget is None or plan.reproduces is not None:
        return None
    all_orders = orders(plan, trials, proven)
    open_ = [order for order in all_orders if not order.decided]
    blocks = max((trial.block for trial in plan.trials if trial.role == "measured"), default=0)
    exhausted = blocks >= plan.budget.looks[-1] or not any(order.worth_more for order in open_)
    return SessionEnd(
        why="decided" if not open_ else "blocks" if exhausted else "budget",
        blocks=blocks,
        orders=len(all_orders),
        undecided=tuple(
            Undecided(
                scenario=order.scenario,
                data_access=order.access,
                one=order.one,
                other=order.other,
                words=order.words,
                further_blocks=order.further_blocks,
            )
            for order in open_
        ),
        further_s=_further_s(open_, evidence),
    )


def words_of(end: SessionEnd) -> list[str]:
    """Return why a session ended, which orders are open, and what more time would decide, a sentence each."""
    blocks = counted(end.blocks, "block")
    lines = [
        {
            "decided": f"Every order within a class is decided, after {blocks}."
            if end.orders
            else f"No two subjects of a class were measured: no order to decide, after {blocks}.",
            "budget": f"The budget is spent, after {blocks}.",
            "blocks": f"Ended after {blocks}, the last that the budget was planned for."
            if any(order.further_blocks for order in end.undecided)
            else f"Ended after {blocks}: more of them would decide nothing.",
        }[end.why]
    ]
    lines += [
        f"Open under {order.scenario}: {order.other} against {order.one}: {order.words.rstrip('.')}."
        for order in end.undecided
    ]
    if end.further_s is not None:
        lines.append(
            f"That would take about {counted(math.ceil(end.further_s / 60), 'minute')} more, by a longer --budget."
        )
    return lines


def _further_s(open_: Sequence[SubjectOrder], evidence: Mapping[int, Evidence]) -> float | None:
    """Return the seconds of the blocks that would decide the open orders within reach, at the pace so far."""
    wanted: dict[tuple[str, str], int] = {}
    for order in open_:
        for subject in (order.one, order.other):
            key = subject, order.scenario
            wanted[key] = max(wanted.get(key, 0), order.further_blocks or 0)
    each_s: dict[tuple[str, str], list[float]] = {}
    for trial_evidence in evidence.values():
        each_s.setdefault((trial_evidence.subject, trial_evidence.scenario), []).append(took_s(trial_evidence))
    needed = [blocks * mean(each_s[key]) for key, blocks in wanted.items() if blocks and key in each_s]
    return rounded(sum(needed)) if needed else None
