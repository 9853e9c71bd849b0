"""Means with t intervals, robust estimates, and the relative change of two means.

The relative change leads from the usual trials to trials under another condition. Student's t is for two samples with
one variance (pooled), since a proof is a single trial, whose own scatter nobody knows: it is taken to scatter as the
usual trials do.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import median

from .special import special

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
    return stratified_interval([values], confidence)


def stratified_interval(strata: Sequence[Sequence[float]], confidence: float = CONFIDENCE) -> Interval:
    """Return the interval of the mean of all trials by their scatter within strata, which is taken as equal (pooled).

    The interval says nothing of other strata than these. Raises ValueError when there is no trial.
    """
    samples = [values for values in strata if values]
    count = sum(map(len, samples))
    centre = mean([value for values in samples for value in values])
    degrees = count - len(samples)
    if degrees < 1:
        return Interval(centre, None, None, confidence)
    levels = [mean(values) for values in samples]
    squares = math.fsum((value - level) ** 2 for values, level in zip(samples, levels, strict=True) for value in values)
    half = quantile(degrees, 1 - (1 - confidence) / 2) * math.sqrt(squares / degrees / count)
    return Interval(centre, centre - half, centre + half, confidence)


def mean(values: Sequence[float]) -> float:
    """Return the arithmetic mean. Raises ValueError when there are no values."""
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
    return float(special().stdtrit(degrees, probability))


def two_sided_p(degrees: float, t: float) -> float:
    """Return P(|T| >= |t|)."""
    return float(2 * special().stdtr(degrees, -abs(t)))


def share_interval(happened: int, tries: int) -> tuple[float, float]:
    """Return the exact interval of a share: never too narrow, even where the event never or always happened.

    Raises ValueError without a try, or where the event happened more often than it was tried.
    """
    if not 0 <= happened <= tries or tries < 1:
        raise ValueError(f"{happened} of {tries} is no share")
    tail = (1 - CONFIDENCE) / 2
    low = 0.0 if happened == 0 else float(special().betaincinv(happened, tries - happened + 1, tail))
    high = 1.0 if happened == tries else float(special().betaincinv(happened + 1, tries - happened, 1 - tail))
    return low, high


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
    cut, kept = _trimmed(values)
    estimate = mean(kept)
    winsorised = [kept[0]] * cut + kept + [kept[-1]] * cut
    left = len(kept)
    error = math.sqrt((count - 1) * variance(winsorised) / (left * (left - 1)))
    if error == 0:
        return Yuen(estimate, 0.0 if estimate else 1.0)
    return Yuen(estimate, two_sided_p(left - 1, estimate / error))


def trimmed_mean(values: Sequence[float]) -> float:
    """Return the mean without the share of the values that is cut from each end. Raises ValueError for no values."""
    return mean(_trimmed(values)[1])


def _trimmed(values: Sequence[float]) -> tuple[int, list[float]]:
    """Return how many values are cut from each end, and the other values in order."""
    cut = int(TRIMMED_SHARE * len(values))
    return cut, sorted(values)[cut : len(values) - cut]


def hodges_lehmann(values: Sequence[float]) -> float:
    """Return the median of the means of all pairs, each value with itself included (Hodges and Lehmann 1963)."""
    if not values:
        raise ValueError("no values")
    return median(first + second for place, first in enumerate(values) for second in values[place:]) / 2


# Each bound is passed by chance once in twenty times: a proof is asked of every subject of a session.
LEVEL = 0.05


@dataclass(frozen=True)
class RelativeChange:
    """A relative change: 0.02 is 2 % more. `low` and `high` are bounds of `LEVEL` each."""

    value: float
    low: float
    high: float


def relative_change(usual: Sequence[float], other: Sequence[float]) -> RelativeChange:
    """Return the relative change from `usual` values (two at least) to `other` ones (one at least), all positive."""
    if len(usual) < 2 or not other:
        raise ValueError("it takes two usual values and another one")
    logs = [[math.log(value) for value in values] for values in (usual, other)]
    degrees = len(usual) + len(other) - 2
    squares = sum(variance(sample) * (len(sample) - 1) for sample in logs if len(sample) > 1)
    spread = math.sqrt(squares / degrees * (1 / len(usual) + 1 / len(other)))
    step, half = mean(logs[1]) - mean(logs[0]), quantile(degrees, 1 - LEVEL) * spread
    return RelativeChange(math.expm1(step), math.expm1(step - half), math.expm1(step + half))
