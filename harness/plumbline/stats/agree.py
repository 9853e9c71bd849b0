"""Decide whether two independent measurements of one ratio agree (Welch 1947, with a margin as in Schuirmann 1987).

difference = ours - theirs, of logs; its variance is the sum of both, its degrees of freedom by Welch-Satterthwaite
agrees       both one-sided tests put it within the margin, significant or not
disagrees    the two-sided test finds it, and it is not within the margin
can't tell   neither
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from .compare import LEVEL
from .interval import mean, quantile, two_sided_p, variance
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
    """A mean of logs with its standard error and degrees of freedom."""

    effect: float
    error: float
    degrees: float


@dataclass(frozen=True)
class Agreed:
    """The agreement of two measurements: `difference`, its 99 % interval, and what 95 of 100 such pairs would find."""

    difference: float
    low: float
    high: float
    detectable: float
    word: Word


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
    return Estimate(one.effect - other.effect, math.sqrt(total), total**2 / spent if spent else CERTAIN)


def detectable_difference(error: float, degrees: float) -> float:
    """Return the difference of logs that is found with 95 % power."""
    return (quantile(degrees, 1 - LEVEL / 2) + quantile(degrees, POWER)) * error


def agreement(theirs: Estimate, ours: Estimate) -> Agreed:
    """Compare two independent estimates of one log ratio."""
    found = difference_of(ours, theirs)
    half = quantile(found.degrees, 1 - LEVEL / 2) * found.error
    within = abs(found.effect) + quantile(found.degrees, 1 - LEVEL) * found.error < AGREES_WITHIN
    differs = (
        two_sided_p(found.degrees, found.effect / found.error) < LEVEL if found.error else found.effect != 0
    )
    return Agreed(
        difference=found.effect,
        low=found.effect - half,
        high=found.effect + half,
        detectable=detectable_difference(found.error, found.degrees),
        word="agrees" if within else "disagrees" if differs else "can't tell",
    )
