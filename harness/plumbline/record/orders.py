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
from plumbline.stats.compare import LEVEL, MINIMUM_PAIRS, Comparison, compare, differences
from plumbline.stats.power import further_pairs
from plumbline.stats.wording import words

# A subject of which no trial counts after so many is not waited for.
HOPELESS_AFTER = 3


@dataclass(frozen=True)
class Order:
    """Two subjects of one class under one scenario; `found` is None while too few of their blocks count."""

    scenario: str
    access: AccessClass
    one: str
    other: str
    found: Comparison | None
    hopeless: bool

    @property
    def decided(self) -> bool:
        """Whether one is faster, or both are equivalent."""
        return self.found is not None and self.found.verdict != "inconclusive"

    @property
    def worth_more(self) -> bool:
        """Whether another block may decide it."""
        return not self.decided and not self.hopeless

    @property
    def words(self) -> str:
        """What stands now."""
        if self.hopeless:
            return f"no trial of one of them counted in {HOPELESS_AFTER} blocks"
        return "no verdict: too few blocks in common" if self.found is None else words(self.found)

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


def orders(plan: Plan, trials: Sequence[Trial]) -> tuple[Order, ...]:
    """Every two subjects of a class under each scenario, by the trials that were judged so far."""
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
            found += [_order(plan, scenario.id, access, pair, leading, trials, len(pairs)) for pair in pairs]
    return tuple(found)


def _order(
    plan: Plan,
    scenario: str,
    access: AccessClass,
    pair: tuple[str, str],
    leading: tuple[str, str] | None,
    trials: Sequence[Trial],
    family: int,
) -> Order:
    sides = [_by_block(subject, scenario, leading, trials) for subject in pair]
    blocks = sorted(set(sides[0]) & set(sides[1]))
    found = None
    if leading is not None and len(blocks) >= MINIMUM_PAIRS:
        better = METRICS[leading[1]].better
        assert better is not None
        values = differences([(sides[0][block], sides[1][block]) for block in blocks], better)
        found = compare(values, level_after(plan, len(blocks)) / family)
    hopeless = any(not side and _blocks_of(pair, scenario, trials) >= HOPELESS_AFTER for side in sides)
    return Order(scenario, access, pair[0], pair[1], found, hopeless)


def level_after(plan: Plan, blocks: int) -> float:
    """The level of a look after so many blocks: below the first planned one there is one look alone, at the end."""
    if plan.budget is None or blocks < plan.budget.looks[0] or len(plan.budget.looks) == 1:
        return LEVEL
    return plan.budget.level


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


def _blocks_of(pair: tuple[str, str], scenario: str, trials: Sequence[Trial]) -> int:
    return len({trial.block for trial in trials if trial.subject in pair and trial.scenario == scenario})
