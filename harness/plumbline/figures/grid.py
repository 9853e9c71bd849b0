"""Latency on a grid of quantiles: which quantiles count, and how the grids of several trials merge."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

from plumbline.model.evidence import PART_QUANTILES, QUANTILES, LoadPart, LoadResult
from plumbline.stats.mixture import mixture

# A quantile is believed only with this many samples beyond it.
SAMPLES_BEYOND = 100


def reportable(samples: int, quantile: float) -> bool:
    """Return whether enough samples lie beyond a quantile: n(1-q) >= 100."""
    return round(samples * (1 - quantile), 6) >= SAMPLES_BEYOND


@dataclass(frozen=True)
class Grid:
    """Latencies of one trial in milliseconds: `values_ms` on `quantiles`, the greatest one, and how many they are."""

    values_ms: tuple[float, ...]
    max_ms: float
    samples: int
    quantiles: tuple[float, ...] = QUANTILES

    def points(self) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """Return values in ascending order and the share of samples up to each: a distribution, linear between."""
        return (*self.values_ms, self.max_ms), (*self.quantiles, 1.0)


def grid_of(load: LoadResult) -> Grid | None:
    """Return the grid of a phase's load; None when k6 had no latencies."""
    if len(load.latency_ms) != len(QUANTILES) or load.latency_max_ms is None:
        return None
    return Grid(values_ms=load.latency_ms, max_ms=load.latency_max_ms, samples=load.requests)


def grid_of_part(part: LoadPart) -> Grid:
    """Return the grid of a use case of a mix, or of one request within it."""
    return Grid(part.latency_ms, part.latency_max_ms, part.requests, PART_QUANTILES)


def at(grid: Grid, quantile: float) -> float:
    """Return the latency in milliseconds at a quantile, on the line between the quantiles around it."""
    values, shares = grid.points()
    right = bisect_left(shares, quantile)
    if shares[right] == quantile:
        return values[right]
    part = (quantile - shares[right - 1]) / (shares[right] - shares[right - 1])
    return values[right - 1] + part * (values[right] - values[right - 1])


def merged(grids: Sequence[Grid]) -> Grid:
    """Return the grid of all samples together: quantiles of the mixture, each trial weighted by its samples.

    Raises ValueError when there is nothing to merge.
    """
    quantiles = grids[0].quantiles if grids else QUANTILES
    values, greatest, samples = mixture([(grid.points(), grid.samples) for grid in grids], quantiles)
    return Grid(values_ms=values, max_ms=greatest, samples=samples, quantiles=quantiles)
