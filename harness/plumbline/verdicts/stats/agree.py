"""Decide whether two independent measurements of one ratio agree (Welch 1947, with a margin as in Schuirmann 1987).

difference   ours - theirs, of logs; its variance is the sum of the two variances, its degrees of freedom are by
             Welch-Satterthwaite
agrees       both one-sided tests put the difference within the margin, significant or not
disagrees    the whole two-sided interval lies beyond the margin; all ratios of a session share the level (Bonferroni)
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
from .power import found_errors

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

    95 of 100 such pairs would disagree if they differed by `detectable`. `undone_by_drift` says that the two
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


def detectable_difference(estimate: Estimate, ratios: int = 1) -> float:
    """Return the difference of logs that disagrees with 95 % power, whichever way the figures drift.

    `ratios` is the number of ratios of the session.
    """
    chance = found_errors(estimate.degrees, LEVEL / ratios) * estimate.error
    return AGREES_WITHIN + chance + max(estimate.falls, estimate.rises)


def agreement(theirs: Estimate, ours: Estimate, ratios: int = 1) -> Agreed:
    """Compare two independent estimates of one log ratio, which is one of so many `ratios` of the session."""
    difference = difference_of(ours, theirs)
    half = _half(difference, LEVEL)
    word = _word(difference, ratios)
    return Agreed(
        difference=difference.effect,
        low=difference.effect - half,
        high=difference.effect + half,
        detectable=detectable_difference(difference, ratios),
        word=word,
        undone_by_drift=word != _word(replace(difference, falls=0.0, rises=0.0), ratios),
    )


def _word(difference: Estimate, ratios: int) -> Word:
    low, high = difference.effect - difference.falls, difference.effect + difference.rises
    one_sided = _half(difference, 2 * LEVEL)
    if low - one_sided > -AGREES_WITHIN and high + one_sided < AGREES_WITHIN:
        return "agrees"
    shared = _half(difference, LEVEL / ratios)
    return "disagrees" if low - shared > AGREES_WITHIN or high + shared < -AGREES_WITHIN else "can't tell"


def _half(difference: Estimate, level: float) -> float:
    """Return half of the width of the two-sided interval."""
    return quantile(difference.degrees, 1 - level / 2) * difference.error
