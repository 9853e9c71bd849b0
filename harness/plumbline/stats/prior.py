"""A variance borrowed from history: the moderated t (Smyth 2004).

    s~^2 = (d0 s0^2 + d s^2) / (d0 + d),  t = mean / (s~ / sqrt(n)) with d0 + d degrees of freedom, d = n - 1

s0^2 is what the differences of earlier sessions on the same host and scenario scattered by, d0 how many degrees of
freedom that knowledge is worth. A session that is noisier than its prior allows drops it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from scipy.special import digamma, polygamma

from .interval import f_quantile, mean
from .interval import variance as sample_variance

DROPPED_ABOVE = 0.999
"""The F test that drops a prior. At 99.9 % it costs a sound prior one session in 1,000."""

PriorUse = Literal["none", "used", "dropped"]


@dataclass(frozen=True)
class Prior:
    """The variance of paired log ratios (s0^2) and its degrees of freedom (d0); both are above zero."""

    variance: float
    degrees: float

    def __post_init__(self) -> None:
        for name, value in (("variance", self.variance), ("degrees", self.degrees)):
            if not (math.isfinite(value) and value > 0):
                raise ValueError(f"the prior's {name} must be a number above zero")


def moderated(variance: float, degrees: int, prior: Prior | None) -> tuple[float, float, PriorUse]:
    """Return the variance and the degrees of freedom to test with, and whether the prior was used."""
    if prior is None:
        return variance, degrees, "none"
    if variance / prior.variance > f_quantile(degrees, prior.degrees, DROPPED_ABOVE):
        return variance, degrees, "dropped"
    total = prior.degrees + degrees
    return (prior.degrees * prior.variance + degrees * variance) / total, total, "used"


def fitted(variances: Sequence[float], degrees: int) -> Prior:
    """Return the prior that earlier sessions suggest, from the variance of each, all with `degrees` of freedom (Smyth
    2004).

    d0 comes from how much more the logs of the variances scatter than chance alone makes them: sessions that differ
    lend little. It never exceeds what the sessions had in all. Raises ValueError below two variances, or for one that
    isn't above zero.
    """
    if min(variances, default=0) <= 0:
        raise ValueError("a variance is not above zero")
    half = degrees / 2
    logs = [math.log(one) - float(digamma(half)) + math.log(half) for one in variances]
    beyond_chance = sample_variance(logs) - float(polygamma(1, half))
    worth: float = degrees * len(variances)
    if beyond_chance > 0:
        worth = min(worth, 2 * _inverse_trigamma(beyond_chance))
    return Prior(math.exp(mean(logs) + float(digamma(worth / 2)) - math.log(worth / 2)), worth)


def _inverse_trigamma(value: float) -> float:
    """Return the x with trigamma(x) = value, found by bisection of its logarithm, since trigamma falls."""
    low, high = -20.0, 20.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if float(polygamma(1, math.exp(middle))) > value else (low, middle)
    return math.exp(high)
