"""A variance borrowed from history: the moderated t (Smyth 2004).

    s~^2 = (d0 s0^2 + d s^2) / (d0 + d),  t = mean / (s~ / sqrt(n)) with d0 + d degrees of freedom, d = n - 1

s0^2 is what the differences of earlier sessions on the same host and scenario scattered by, d0 how many degrees of
freedom that knowledge is worth. A session that is noisier than its prior allows drops it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from .interval import f_quantile

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
