"""Decide whether two independent measurements of one ratio agree (Welch 1947, with a margin as in Schuirmann 1987).

difference   ours - theirs, of logs; its variance is the sum of the two variances, its degrees of freedom are by
             Welch-Satterthwaite
agrees       both one-sided tests put the difference within the margin, significant or not
disagrees    the two-sided test finds a difference, and the difference is not within the margin
can't tell   neither of the two, or a drift that the four figures leave open could reverse the answer: the interval of
             each test is widened on each side by how far the difference may still fall and rise (drift.py)
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
    """A mean of logs with its standard error and degrees of freedom, and how far a drift may still let the mean
    fall and rise.
    """

    effect: float
    error: float
    degrees: float
    falls: float = 0.0
    rises: float = 0.0


@dataclass(frozen=True)
class Agreed:
    """The agreement of two measurements: `difference`, with the 99 % interval from `low` to `high`.

    95 of 100 such pairs would find a difference as large as `detectable`. `undone_by_drift` says that the two
    measurements would agree or disagree if no figure could drift.
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


def unpaired(first: Sequence[float], second: Sequence[float]) -> Estimate:
    """Return the estimate of mean(first) - mean(second), each of two logs at least."""
    return difference_of(paired(first), paired(second))


def difference_of(first: Estimate, second: Estimate) -> Estimate:
    """Return the estimate of `first` minus `second`, which are independent."""
    squares = first.error**2, second.error**2
    total = math.fsum(squares)
    denominator = squares[0] ** 2 / first.degrees + squares[1] ** 2 / second.degrees
    return Estimate(
        first.effect - second.effect,
        math.sqrt(total),
        total**2 / denominator if denominator else CERTAIN,
        first.falls + second.rises,
        first.rises + second.falls,
    )


def detectable_difference(estimate: Estimate) -> float:
    """Return the difference of logs that is found with 95 % power, whichever way the figures drift."""
    chance = (quantile(estimate.degrees, 1 - LEVEL / 2) + quantile(estimate.degrees, POWER)) * estimate.error
    return chance + max(estimate.falls, estimate.rises)


def agreement(theirs: Estimate, ours: Estimate) -> Agreed:
    """Compare two independent estimates of one log ratio."""
    difference = difference_of(ours, theirs)
    half = quantile(difference.degrees, 1 - LEVEL / 2) * difference.error
    word = _word(difference)
    return Agreed(
        difference=difference.effect,
        low=difference.effect - half,
        high=difference.effect + half,
        detectable=detectable_difference(difference),
        word=word,
        undone_by_drift=word != _word(replace(difference, falls=0.0, rises=0.0)),
    )


def _word(difference: Estimate) -> Word:
    one_sided, two_sided = (quantile(difference.degrees, 1 - level) * difference.error for level in (LEVEL, LEVEL / 2))
    low, high = difference.effect - difference.falls, difference.effect + difference.rises
    if low - one_sided > -AGREES_WITHIN and high + one_sided < AGREES_WITHIN:
        return "agrees"
    return "disagrees" if low - two_sided > 0 or high + two_sided < 0 else "can't tell"
