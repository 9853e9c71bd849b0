"""Latency on a grid of quantiles: which quantiles count, and how the grids of several trials merge (METHOD
3).
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from plumbline.model.evidence import QUANTILES, LoadResult

# A quantile is believed only with this many samples beyond it (METHOD 3).
SAMPLES_BEYOND = 100


def reportable(samples: int, quantile: float) -> bool:
    """Whether enough samples lie beyond a quantile: n(1-q) >= 100."""
    return round(samples * (1 - quantile), 6) >= SAMPLES_BEYOND


@dataclass(frozen=True)
class Grid:
    """Latencies of one trial in milliseconds: `values_ms` on QUANTILES, the greatest one, and how many they
    are.
    """

    values_ms: tuple[float, ...]
    max_ms: float
    samples: int

    def points(self) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """Values in ascending order and the share of samples up to each: the distribution, linear in
        between.
        """
        return (*self.values_ms, self.max_ms), (*QUANTILES, 1.0)


def grid_of(load: LoadResult) -> Grid | None:
    """The grid of a phase's load; None when k6 had no latencies."""
    if len(load.latency_ms) != len(QUANTILES) or load.latency_max_ms is None:
        return None
    return Grid(values_ms=load.latency_ms, max_ms=load.latency_max_ms, samples=load.requests)


def at(grid: Grid, quantile: float) -> float:
    """The latency in milliseconds at a quantile, on the line between the quantiles around it."""
    values, shares = grid.points()
    right = bisect_left(shares, quantile)
    if shares[right] == quantile:
        return values[right]
    part = (quantile - shares[right - 1]) / (shares[right] - shares[right - 1])
    return values[right - 1] + part * (values[right] - values[right - 1])


def merged(grids: Sequence[Grid]) -> Grid:
    """The grid of all samples together: quantiles of the mixture, each trial weighted by its samples.

    Averaging quantiles instead is up to 12 % off (METHOD 3). Raises ValueError when there is nothing to
    merge.
    """
    samples = sum(grid.samples for grid in grids)
    if samples == 0:
        raise ValueError("no samples to merge")
    points = [(grid.points(), grid.samples / samples) for grid in grids if grid.samples > 0]
    values = sorted({value for its, _ in points for value in its[0]})
    below = [math.fsum(weight * _below(*its, value) for its, weight in points) for value in values]
    upto = [math.fsum(weight * _upto(*its, value) for its, weight in points) for value in values]
    return Grid(
        values_ms=tuple(_inverse(values, below, upto, quantile) for quantile in QUANTILES),
        max_ms=values[-1],
        samples=samples,
    )


def _below(values: tuple[float, ...], shares: tuple[float, ...], value: float) -> float:
    """The share of samples below a value. It differs from `_upto` where many samples are equal."""
    index = bisect_left(values, value)
    if index < len(values) and values[index] == value:
        return shares[index]
    return _between(values, shares, value, index)


def _upto(values: tuple[float, ...], shares: tuple[float, ...], value: float) -> float:
    """The share of samples up to a value."""
    index = bisect_right(values, value)
    if index > 0 and values[index - 1] == value:
        return shares[index - 1]
    return _between(values, shares, value, index)


def _between(values: tuple[float, ...], shares: tuple[float, ...], value: float, index: int) -> float:
    """The share at a value that lies before the point `index` and after the one before it."""
    if index == 0 or index == len(values):
        return float(index > 0)
    part = (value - values[index - 1]) / (values[index] - values[index - 1])
    return shares[index - 1] + part * (shares[index] - shares[index - 1])


def _inverse(values: list[float], below: list[float], upto: list[float], quantile: float) -> float:
    """The value at which the mixture reaches a quantile."""
    index = min(bisect_left(upto, quantile), len(values) - 1)
    if index == 0 or below[index] <= quantile or below[index] <= upto[index - 1]:
        return values[index]
    part = (quantile - upto[index - 1]) / (below[index] - upto[index - 1])
    return values[index - 1] + part * (values[index] - values[index - 1])
