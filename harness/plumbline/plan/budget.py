"""A session that goes on until every order within a class is decided, or its budget is spent.

The plan names every trial that may be run. Which of them are is decided while it runs (run/rounds.py), block by
block: a class whose orders are decided rests, and the time goes to the others.
"""

from __future__ import annotations

from collections.abc import Sequence

from plumbline.model.plan import Budget, PlannedTrial, Scenario
from plumbline.stats.interim import LEVEL_AT_BLOCKS, LOOKS_AT_BLOCKS
from .duration import likely_trial_s

# Where the control stands between the first block and the last one, which nobody knows beforehand.
CONTROL_AFTER = (2, 6, 12, 20)


def budget_of(budget_s: float | None, blocks: int | None) -> Budget | None:
    """Return the budget of a session that was asked for one; None for a session of a fixed number of blocks.

    With both, `blocks` are the most.
    """
    if budget_s is None:
        return None
    looks = tuple(look for look in LOOKS_AT_BLOCKS if blocks is None or look <= blocks)
    return Budget(
        budget_s=budget_s,
        looks=looks or (blocks or LOOKS_AT_BLOCKS[0],),
        level=LEVEL_AT_BLOCKS,
    )


def blocks_within(budget: Budget, trials: Sequence[PlannedTrial], scenarios: Sequence[Scenario]) -> int:
    """Return how many blocks of all subjects fit a budget if warm-ups end half way to their cap; at least one."""
    of = {scenario.id: likely_trial_s(scenario) for scenario in scenarios}
    block_s = sum(of[trial.scenario] for trial in trials if (trial.role, trial.block) == ("measured", 1))
    # Thrown away, first, once in the middle and last.
    control_s = of[trials[0].scenario] + 3 * sum(of.values())
    return max(1, int((budget.budget_s - control_s) / block_s)) if block_s else 1
