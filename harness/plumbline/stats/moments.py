"""Mean and variance, exactly summed."""

from __future__ import annotations

import math
from collections.abc import Sequence


def mean(values: Sequence[float]) -> float:
    """The arithmetic mean. Raises ValueError when there is nothing."""
    if not values:
        raise ValueError("no values")
    return math.fsum(values) / len(values)


def variance(values: Sequence[float]) -> float:
    """The sample variance (divided by n - 1). Raises ValueError below two values."""
    if len(values) < 2:
        raise ValueError("fewer than two values")
    centre = mean(values)
    return math.fsum((value - centre) ** 2 for value in values) / (len(values) - 1)
