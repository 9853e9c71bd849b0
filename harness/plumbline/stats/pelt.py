"""Find where the mean of a series changes: optimal partitioning with pruning (PELT; Killick, Fearnhead, Eckley 2012).

It finds the segments that minimise the sum over segments of (squared deviations from the segment's mean) / noise
variance, plus a penalty for each segment. The noise is estimated from the differences of successive values, which a
step or a slow trend hardly touches: the median of their sizes over 0.6745 sqrt(2) is the standard deviation of
normal noise.

Written here because the established library does not cover every Python that this project's lock does, and because
stored figures have to be the same bit for bit on every machine: plain sums in a fixed order.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import accumulate, pairwise
from statistics import median

# The median of |x| of a standard normal x.
_NORMAL_QUARTILE = 0.6744897501960817
# Series without any noise still have some resolution; a step of this share of the level is no step.
_RESOLUTION_SHARE = 1e-4


def noise_sd(values: Sequence[float]) -> float:
    """Return the standard deviation of the noise from value to value, in the unit of the values; 0 below two values."""
    steps = [abs(after - before) for before, after in pairwise(values)]
    return median(steps) / (_NORMAL_QUARTILE * math.sqrt(2)) if steps else 0.0


def segments(values: Sequence[float], penalty: float, sd: float) -> list[tuple[int, int]]:
    """Return the segments as (start, end) of slices, in order; empty for no values.

    `penalty` is in units of the noise's variance, `sd` the noise's standard deviation.
    """
    count = len(values)
    if count == 0:
        return []
    level = median(abs(value) for value in values)
    variance = max(sd, _RESOLUTION_SHARE * level) ** 2 or 1.0
    sums = [0.0, *accumulate(values)]
    squares = [0.0, *accumulate(value * value for value in values)]

    def cost(start: int, end: int) -> float:
        total = sums[end] - sums[start]
        return (squares[end] - squares[start] - total * total / (end - start)) / variance

    best = [-penalty]
    before = [0]
    candidates = [0]
    for end in range(1, count + 1):
        costs = [best[start] + cost(start, end) for start in candidates]
        least = min(range(len(costs)), key=costs.__getitem__)
        best.append(costs[least] + penalty)
        before.append(candidates[least])
        # A start that is worse than the best by more than a new segment's price never comes back.
        candidates = [start for start, so_far in zip(candidates, costs, strict=True) if so_far <= best[end]]
        candidates.append(end)
    found: list[tuple[int, int]] = []
    end = count
    while end > 0:
        found.append((before[end], end))
        end = before[end]
    return found[::-1]
