"""Estimates of the centre that a few wild trials don't move: they check the mean, they don't replace it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from .interval import mean, two_sided_p, variance

TRIMMED_SHARE = 0.2
"""The share of the values that is cut from each end (Yuen 1974: a compromise of wild tails and lost trials)."""


@dataclass(frozen=True)
class Yuen:
    """The trimmed mean in the unit of the values, and the two-sided p value of its test against zero."""

    estimate: float
    p: float


def yuen(values: Sequence[float]) -> Yuen:
    """Return Yuen's test of one sample (Yuen 1974): t = trimmed mean / sqrt((n - 1) s_w^2 / (h (h - 1))), df = h - 1.

    s_w^2 is the winsorised variance, h the number of values left. Raises ValueError below three values.
    """
    count = len(values)
    if count < 3:
        raise ValueError("fewer than three values")
    ordered = sorted(values)
    cut = int(TRIMMED_SHARE * count)
    kept = ordered[cut : count - cut]
    estimate = mean(kept)
    winsorised = [kept[0]] * cut + kept + [kept[-1]] * cut
    left = len(kept)
    error = math.sqrt((count - 1) * variance(winsorised) / (left * (left - 1)))
    if error == 0:
        return Yuen(estimate, 0.0 if estimate else 1.0)
    return Yuen(estimate, two_sided_p(left - 1, estimate / error))


def hodges_lehmann(values: Sequence[float]) -> float:
    """Return the median of the means of all pairs, each value with itself included (Hodges and Lehmann 1963)."""
    if not values:
        raise ValueError("no values")
    sums = sorted(one + other for place, one in enumerate(values) for other in values[place:])
    middle = len(sums) // 2
    twice = sums[middle] if len(sums) % 2 else (sums[middle - 1] + sums[middle]) / 2
    return twice / 2
