"""Which orders within a class are decided: the question that a session with a budget goes on for.

Of each scenario one figure leads: throughput of closed load, on a small host, which bounds that, CPU time per request.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from plumbline.figures.metrics import METRICS
from plumbline.model.data_access import AccessClass
from plumbline.model.host import HostClass
from plumbline.model.plan import Plan, Scenario
from plumbline.model.record import Trial
from plumbline.model.steadiness import Steadiness
from plumbline.stats.compare import MARGIN, MINIMUM_PAIRS, Comparison, compare, differences
from plumbline.stats.order import Order as Drifted
from plumbline.stats.order import order
from plumbline.stats.power import further_pairs
from plumbline.stats.wording import words
from .standings import level_after
from .steadiness import drift_of, row_of

# A subject of which no trial counts after so many is not waited for.
HOPELESS_AFTER = 3


@dataclass(frozen=True)
class Order:
    """Two subjects of one class under one scenario; `found` is None while too few of their blocks count.

    `drifted` is what the drifts of both figures leave of the order (stats/order.py).
    """

    scenario: str
    access: AccessClass
    one: str
    other: str
    found: Comparison | None
    drifted: Drifted | None
    hopeless: bool

    @property
    def decided(self) -> bool:
        """Whether one is faster, or both are equivalent, and no drift within what was proven could turn that round."""
        if self.found is None or self.drifted is None or self.found.verdict == "inconclusive":
            return False
        if self.found.verdict == "equivalent":
            return max(-self.drifted.low, self.drifted.high) < MARGIN
        return self.drifted.why == "claimed"

    @property
    def worth_more(self) -> bool:
        """Whether another block may decide it."""
        return not self.decided and not self.hopeless

    @property
    def words(self) -> str:
        """What stands now."""
        if self.hopeless:
            return f"no trial of one of them counted in {HOPELESS_AFTER} blocks"
        if self.found is None:
            return f"no verdict before {MINIMUM_PAIRS} blocks in which both were steady"
        if self.found.verdict != "inconclusive" and not self.decided and self.drifted is not None:
            return f"{words(self.found)}, but a drift could turn it round: {self.drifted.words}"
        return words(self.found)

    @property
    def further_blocks(self) -> int | None:
        """How many more blocks would decide it; None for what is decided, hopeless, or out of reach."""
        if not self.worth_more or self.found is None or self.found.heterogeneous:
            return None
        return further_pairs(self.found)


def leading_figure(scenario: Scenario, host_class: HostClass) -> tuple[str, str] | None:
    """(phase, metric) of the figure that an order is asked of; None for a scenario without load at a fixed count."""
    closed = next((phase.name for phase in scenario.phases if phase.kind == "closed"), None)
    if closed is None:
        opened = next((phase.name for phase in scenario.phases if phase.kind == "open"), None)
        return None if opened is None else (opened, "app_cpu_us_per_request")
    return closed, "app_cpu_us_per_request" if host_class == "small" else "throughput_per_s"


def orders(plan: Plan, trials: Sequence[Trial], proven: Sequence[Steadiness]) -> tuple[Order, ...]:
    """Every two subjects of a class under each scenario, by the trials that were judged so far.

    `proven` is what the phases of these trials proved of their drift.
    """
    found: list[Order] = []
    for scenario in plan.scenarios:
        leading = leading_figure(scenario, plan.host_class)
        takers = {one.subject for one in plan.trials if one.scenario == scenario.id}
        for access in ("orm", "sql", "none"):
            its = [
                subject
                for subject in plan.subjects
                if subject in takers and plan.class_of(subject, scenario) == access
            ]
            pairs = list(combinations(its, 2))
            found += [
                _order(plan, scenario.id, access, pair, leading, trials, proven, len(pairs)) for pair in pairs
            ]
    return tuple(found)


def _order(
    plan: Plan,
    scenario: str,
    access: AccessClass,
    pair: tuple[str, str],
    leading: tuple[str, str] | None,
    trials: Sequence[Trial],
    proven: Sequence[Steadiness],
    family: int,
) -> Order:
    sides = [_by_block(subject, scenario, leading, trials) for subject in pair]
    blocks = sorted(set(sides[0]) & set(sides[1]))
    found = drifted = None
    if leading is not None and len(blocks) >= MINIMUM_PAIRS:
        better = METRICS[leading[1]].better
        assert better is not None
        values = differences([(sides[0][block], sides[1][block]) for block in blocks], better)
        found = compare(values, level_after(plan, len(blocks)) / family)
        low, high = (found.low, found.high) if better == "higher" else (-found.high, -found.low)
        rows = [row_of(proven, subject, scenario, *leading) for subject in reversed(pair)]
        head, base = (None if row is None else drift_of(row) for row in rows)
        drifted = order(low, high, head, base, better)
    hopeless = any(_is_hopeless(subject, scenario, trials) for subject in pair)
    return Order(scenario, access, pair[0], pair[1], found, drifted, hopeless)


def _by_block(
    subject: str, scenario: str, leading: tuple[str, str] | None, trials: Sequence[Trial]
) -> dict[int, float]:
    """Block -> the leading figure of the subject's trial that counts."""
    if leading is None:
        return {}
    phase, metric = leading
    return {
        trial.block: value
        for trial in trials
        if (trial.subject, trial.scenario, trial.role) == (subject, scenario, "measured")
        and trial.verdict != "invalid"
        and (value := trial.figures.get(phase, {}).get(metric, 0.0)) > 0
    }


def _is_hopeless(subject: str, scenario: str, trials: Sequence[Trial]) -> bool:
    """Whether all of its trials are invalid. One that is not proven steady yet may be by more of them."""
    its = [
        trial
        for trial in trials
        if (trial.subject, trial.scenario, trial.role) == (subject, scenario, "measured")
    ]
    return len(its) >= HOPELESS_AFTER and all(trial.verdict == "invalid" for trial in its)
