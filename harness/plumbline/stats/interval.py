"""Mean, variance, the t and F distributions, and the intervals of a mean and of a share.

The interval of a mean (Student 1908) is mean +- t(n-1, 1-alpha/2) s / sqrt(n), that of a share is by Clopper and
Pearson (1934)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from scipy.special import betaincinv, fdtri, stdtr, stdtrit

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Interval:
    """A mean with its interval, in the unit of the values. `low` and `high` are None below two values."""

    mean: float
    low: float | None
    high: float | None
    confidence: float


def t_interval(values: Sequence[float], confidence: float = CONFIDENCE) -> Interval:
    """Return the interval of the mean of independent trials. Raises ValueError when there are none."""
    centre = mean(values)
    if len(values) < 2:
        return Interval(centre, None, None, confidence)
    half = quantile(len(values) - 1, 1 - (1 - confidence) / 2) * math.sqrt(variance(values) / len(values))
    return Interval(centre, centre - half, centre + half, confidence)


def mean(values: Sequence[float]) -> float:
    """Return the arithmetic mean. Raises ValueError when there is nothing."""
    if not values:
        raise ValueError("no values")
    return math.fsum(values) / len(values)


def variance(values: Sequence[float]) -> float:
    """Return the sample variance (divided by n - 1). Raises ValueError below two values."""
    if len(values) < 2:
        raise ValueError("fewer than two values")
    centre = mean(values)
    return math.fsum((value - centre) ** 2 for value in values) / (len(values) - 1)


@lru_cache(maxsize=4096)
def quantile(degrees: float, probability: float) -> float:
    """Return the t quantile: P(T <= result) = probability, for `degrees` of freedom (not necessarily whole)."""
    return float(stdtrit(degrees, probability))


@lru_cache(maxsize=4096)
def f_quantile(degrees: float, degrees_below: float, probability: float) -> float:
    """Return the F quantile: P(F <= result) = probability, F a ratio of variances with these degrees of freedom."""
    return float(fdtri(degrees, degrees_below, probability))


def two_sided_p(degrees: float, t: float) -> float:
    """Return P(|T| >= |t|)."""
    return float(2 * stdtr(degrees, -abs(t)))


def share_interval(happened: int, tries: int, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Return the exact interval of the share; never too narrow, even where the thing never or always happened.

    Raises ValueError without a try, or where more happened than was tried.
    """
    if not 0 <= happened <= tries or tries < 1:
        raise ValueError(f"{happened} of {tries} is no share")
    tail = (1 - confidence) / 2
    low = 0.0 if happened == 0 else float(betaincinv(happened, tries - happened + 1, tail))
    high = 1.0 if happened == tries else float(betaincinv(happened + 1, tries - happened, 1 - tail))
    return low, high
