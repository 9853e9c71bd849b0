"""Decide whether an order of two subjects may be claimed: only if no drift within the bounds could reverse it.

The interval of the log ratio of the two figures is widened on each side by what the drift of either could move it.
Where it excludes 0 before and not after, the answer is not "no difference" but that the program is still changing, or
that nobody can tell yet, and how much longer it would take.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from .drift import Better, Drift

Why = Literal["claimed", "chance", "still changing", "can't tell yet"]


@dataclass(frozen=True)
class OrderClaim:
    """The claim of an order. `low` and `high` are the widened interval of log(one / other).

    `why` says whether an order is claimed, and if not: by `chance` the figures can't be told apart at all; a drift that
    is proven (`still changing`) or not excluded (`can't tell yet`) could turn them round. `more_s` are the further
    seconds of each process that would tell, `more_processes` as many more of them; None where that is not known.
    """

    low: float
    high: float
    better: Literal["one", "other"] | None
    why: Why
    more_s: int | None = None
    more_processes: int | None = None

    @property
    def words(self) -> str:
        """Whether the order is claimed and why, as a clause of a sentence."""
        if self.why == "chance":
            return "not told apart from chance"
        if self.why == "can't tell yet" and self.more_s is not None:
            processes = "process" if self.more_processes == 1 else "processes"
            return (
                f"can't tell yet, {self.more_s} s more of each process would do, or {self.more_processes} more "
                f"{processes}"
            )
        return self.why


def order(low: float, high: float, one: Drift | None, other: Drift | None, better: Better) -> OrderClaim:
    """Return the order of two figures by the interval of log(one / other), and how far each may drift.

    A figure whose drift is not known may end up anywhere: nothing is claimed of it.
    """
    if one is None or other is None:
        return OrderClaim(-math.inf, math.inf, None, "can't tell yet")
    (one_falls, one_rises), (other_falls, other_rises) = _moves(one, better), _moves(other, better)
    wide_low, wide_high = low - (one_falls + other_rises), high + (one_rises + other_falls)
    if low <= 0 <= high:
        return OrderClaim(wide_low, wide_high, None, "chance")
    if wide_low > 0 or wide_high < 0:
        first = (wide_low > 0) == (better == "higher")
        return OrderClaim(wide_low, wide_high, "one" if first else "other", "claimed")
    # Only these two can turn it round: the one that is behind by getting better, the one ahead by getting worse.
    behind, ahead = (one, other) if (low > 0) == (better == "lower") else (other, one)
    if behind.changing or ahead.may_worsen > 0:
        return OrderClaim(wide_low, wide_high, None, "still changing")
    gap = low if low > 0 else -high
    limit = math.expm1(gap)
    return OrderClaim(
        wide_low, wide_high, None, "can't tell yet", behind.more_s(limit), behind.more_processes(limit)
    )


def _moves(its: Drift, better: Better) -> tuple[float, float]:
    """Return how far the log of a figure may still fall, and rise."""
    return (its.may_improve, its.may_worsen) if better == "lower" else (its.may_worsen, its.may_improve)
