"""The t interval of a mean (Student 1908): mean +- t(n-1, 1-alpha/2) s / sqrt(n)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from .moments import mean, variance
from .student import quantile

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Interval:
    """A mean with its interval, in the unit of the values. `low` and `high` are None below two values."""

    mean: float
    low: float | None
    high: float | None
    confidence: float


def t_interval(values: Sequence[float], confidence: float = CONFIDENCE) -> Interval:
    """The interval of the mean of independent trials. Raises ValueError when there are none."""
    centre = mean(values)
    if len(values) < 2:
        return Interval(centre, None, None, confidence)
    half = quantile(len(values) - 1, 1 - (1 - confidence) / 2) * math.sqrt(variance(values) / len(values))
    return Interval(centre, centre - half, centre + half, confidence)
