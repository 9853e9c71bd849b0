"""Find out which orders within a class are decided: a session with a budget goes on until all of them are.

In each scenario one figure leads: throughput of closed load, or on a small host, which bounds throughput, CPU time per
request. Standings decide whether two subjects differ, here as everywhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from plumbline.figures.metrics import METRICS, Metric
from plumbline.model.data_access import AccessClass
from plumbline.model.host import HostClass
from plumbline.model.plan import Plan, Scenario
from plumbline.model.record import Steadiness, Trial
from plumbline.stats.compare import MINIMUM_PAIRS
from plumbline.stats.ranking import RankedPair
from .claim import further_blocks, stands, would_decide
from .standings import of_metric

# A subject of which no trial counts after so many is not waited for.
HOPELESS_AFTER = 3


@dataclass(frozen=True)
class SubjectOrder:
    """Two subjects of one class under one scenario, by the metric that leads there; None where none does.

    `pair` is how `other` stands against `one`, None while too few of their blocks count. As in standings `one` is that
    which looks better.
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
        """Whether one is better, or both are equivalent, and no drift within what was proven could turn that round."""
        return self.pair is not None and self.pair.verdict != "inconclusive"

    @property
    def turned(self) -> SubjectOrder:
        """The same with the subjects exchanged."""
        return replace(self, one=self.other, other=self.one, pair=self.pair and self.pair.turned)

    @property
    def worth_more(self) -> bool:
        """Whether another block may decide it."""
        return not self.decided and not self.hopeless

    @property
    def words(self) -> str:
        """Return how the other subject stands against the first one, and what would decide an open order."""
        if self.hopeless:
            return f"no trial of one of them counted in {HOPELESS_AFTER} blocks"
        if self.pair is None or self.metric is None or self.metric.better is None:
            return f"no verdict before {MINIMUM_PAIRS} blocks in which both were steady"
        title = self.metric.title
        said = stands(self.pair, self.metric.better)
        by = f"{title[0].lower()}{title[1:]}"
        return f"{by} {said}" if self.decided else f"{by} undecided, {said}. {would_decide(self.pair)}"

    @property
    def further_blocks(self) -> int | None:
        """Return how many more blocks would decide the order; None if it is decided, hopeless, or out of reach."""
        return further_blocks(self.pair) if self.worth_more and self.pair is not None else None


def leading_figure(scenario: Scenario, host_class: HostClass) -> tuple[str, str] | None:
    """Return (phase, metric) of the figure that an order is asked of; None without closed or open load."""
    closed = next((phase.name for phase in scenario.phases if phase.kind == "closed"), None)
    if closed is None:
        opened = next((phase.name for phase in scenario.phases if phase.kind == "open"), None)
        return None if opened is None else (opened, "app_cpu_us_per_request")
    return closed, "app_cpu_us_per_request" if host_class == "small" else "throughput_per_s"


def orders(plan: Plan, trials: Sequence[Trial], proven: Sequence[Steadiness]) -> tuple[SubjectOrder, ...]:
    """Return every two subjects of a class under each scenario, by the trials that were judged so far.

    `proven` is what the phases of these trials proved of their drift.
    """
    found: list[SubjectOrder] = []
    for scenario in plan.scenarios:
        leading = leading_figure(scenario, plan.host_class)
        metric = None if leading is None else METRICS[leading[1]]
        its = (
            None
            if leading is None or metric is None
            else of_metric(plan, scenario, leading[0], metric, trials, proven)
        )
        takers = {trial.subject for trial in plan.trials if trial.scenario == scenario.id}
        for access in ("orm", "sql", "none"):
            of_class = [
                subject
                for subject in plan.subjects
                if subject in takers and plan.class_of(subject, scenario) == access
            ]
            for one, other in combinations(of_class, 2):
                pair = None if its is None else its.rankings[access].between(other, one)
                hopeless = any(_is_hopeless(subject, scenario.id, trials) for subject in (one, other))
                order = SubjectOrder(scenario.id, access, metric, one, other, pair, hopeless)
                found.append(order if pair is None or pair.comparison.effect <= 0 else order.turned)
    return tuple(found)


def _is_hopeless(subject: str, scenario: str, trials: Sequence[Trial]) -> bool:
    """Return whether all of its trials are invalid. One that is not proven steady yet may be by more of them."""
    its = [
        trial
        for trial in trials
        if (trial.subject, trial.scenario, trial.role) == (subject, scenario, "measured")
    ]
    return len(its) >= HOPELESS_AFTER and all(trial.verdict == "invalid" for trial in its)
