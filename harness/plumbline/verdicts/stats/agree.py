"""Decide whether two independent measurements of one ratio agree (Welch 1947, with a margin as in Schuirmann 1987).

difference = ours - theirs, of logs; its variance is the sum of both, its degrees of freedom by Welch-Satterthwaite
agrees       both one-sided tests put it within the margin, significant or not
disagrees    the two-sided test finds it, and it is not within the margin
can't tell   neither, or a drift that the four figures leave open could turn it round: the interval of either test is
             widened on each side by how far the difference may still fall and rise (drift.py)
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from .compare import LEVEL
from .interval import mean, quantile, variance
from .power import POWER

AGREES_WITHIN = math.log(1.05)
"""The margin between hosts. Two hosts may differ by more than two sides on one host, since a ratio of two programs
depends a little on the CPU.
"""

CERTAIN = 1e9
"""The degrees of freedom of an estimate that does not scatter."""

Word = Literal["agrees", "disagrees", "can't tell"]


@dataclass(frozen=True)
class Estimate:
    """A mean of logs with its standard error and degrees of freedom, and how far a drift may still let it fall and
    rise.
    """

    effect: float
    error: float
    degrees: float
    falls: float = 0.0
    rises: float = 0.0


@dataclass(frozen=True)
class Agreed:
    """The agreement of two measurements: `difference`, its 99 % interval, and what 95 of 100 such pairs would find.

    `undone_by_drift` says that the two would agree or disagree if none of their figures could drift.
    """

    difference: float
    low: float
    high: float
    detectable: float
    word: Word
    undone_by_drift: bool


def paired(values: Sequence[float]) -> Estimate:
    """Return the estimate of paired log ratios, of two at least."""
    return Estimate(mean(values), math.sqrt(variance(values) / len(values)), len(values) - 1)


def unpaired(ones: Sequence[float], others: Sequence[float]) -> Estimate:
    """Return the estimate of mean(ones) - mean(others), of two logs at least each."""
    return difference_of(paired(ones), paired(others))


def difference_of(one: Estimate, other: Estimate) -> Estimate:
    """Return the estimate of `one` minus `other`, which are independent."""
    squares = one.error**2, other.error**2
    total = math.fsum(squares)
    spent = squares[0] ** 2 / one.degrees + squares[1] ** 2 / other.degrees
    return Estimate(
        one.effect - other.effect,
        math.sqrt(total),
        total**2 / spent if spent else CERTAIN,
        one.falls + other.rises,
        one.rises + other.falls,
    )


def detectable_difference(found: Estimate) -> float:
    """Return the difference of logs that is found with 95 % power, whatever way the figures drift."""
    chance = (quantile(found.degrees, 1 - LEVEL / 2) + quantile(found.degrees, POWER)) * found.error
    return chance + max(found.falls, found.rises)


def agreement(theirs: Estimate, ours: Estimate) -> Agreed:
    """Compare two independent estimates of one log ratio."""
    found = difference_of(ours, theirs)
    half = quantile(found.degrees, 1 - LEVEL / 2) * found.error
    word = _word(found)
    return Agreed(
        difference=found.effect,
        low=found.effect - half,
        high=found.effect + half,
        detectable=detectable_difference(found),
        word=word,
        undone_by_drift=word != _word(replace(found, falls=0.0, rises=0.0)),
    )


def _word(found: Estimate) -> Word:
    one_sided, two_sided = (quantile(found.degrees, 1 - level) * found.error for level in (LEVEL, LEVEL / 2))
    low, high = found.effect - found.falls, found.effect + found.rises
    if low - one_sided > -AGREES_WITHIN and high + one_sided < AGREES_WITHIN:
        return "agrees"
    return "disagrees" if low - two_sided > 0 or high + two_sided < 0 else "can't tell"
