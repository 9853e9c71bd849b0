"""Latency by open load: quantiles of a phase, and of the use cases and requests of a mix.

In a saturated closed loop a stall hides its own victims, so closed phases have only a mean."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from plumbline.model.evidence import PART_QUANTILES, QUANTILES, Evidence, LoadPart, LoadResult
from plumbline.model.record import PartFigures
from plumbline.verdicts.stats.mixture import mixture
from .proof import PhaseProof, named_by_proof
from .series import rounded
from .view import FigureValues, PhaseView

# A quantile is believed only with this many samples beyond it.
SAMPLES_BEYOND = 100


def reportable(samples: int, quantile: float) -> bool:
    """Return whether enough samples lie beyond a quantile: n(1-q) >= 100."""
    return round(samples * (1 - quantile), 6) >= SAMPLES_BEYOND


@dataclass(frozen=True)
class Grid:
    """Latencies of one trial in milliseconds: `values_ms` at `quantiles`, the greatest, and the number of samples."""

    values_ms: tuple[float, ...]
    max_ms: float
    samples: int
    quantiles: tuple[float, ...] = QUANTILES

    def points(self) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """Return values in ascending order and the share of samples up to each: a distribution, linear in between."""
        return (*self.values_ms, self.max_ms), (*self.quantiles, 1.0)


def grid_of(load: LoadResult) -> Grid | None:
    """Return the grid of a phase's load; None when k6 had no latencies."""
    if len(load.latency_ms) != len(QUANTILES) or load.latency_max_ms is None:
        return None
    return Grid(values_ms=load.latency_ms, max_ms=load.latency_max_ms, samples=load.requests)


def grid_of_part(part: LoadPart) -> Grid:
    """Return the grid of a use case of a mix, or of one request within it."""
    return Grid(part.latency_ms, part.latency_max_ms, part.requests, PART_QUANTILES)


def latency_at(grid: Grid, quantile: float) -> float:
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


QUANTILE_METRICS: dict[str, float] = {
    "latency_p50_ms": 0.5,
    "latency_p90_ms": 0.9,
    "latency_p95_ms": 0.95,
    "latency_p99_ms": 0.99,
    "latency_p99_9_ms": 0.999,
}


def latency(view: PhaseView) -> FigureValues:
    """Return the mean of a loaded phase; of an open one also the greatest, and quantiles with enough samples beyond."""
    load = view.load
    if load is None or view.phase.kind not in ("closed", "open"):
        return {}
    by_metric: FigureValues = {"latency_mean_ms": load.latency_mean_ms}
    grid = grid_of(load) if view.phase.kind == "open" else None
    if grid is not None:
        by_metric["latency_max_ms"] = grid.max_ms
        by_metric |= {
            metric: latency_at(grid, quantile)
            for metric, quantile in QUANTILE_METRICS.items()
            if reportable(grid.samples, quantile)
        }
    return by_metric


def parts(evidence: Evidence, proofs: Mapping[str, PhaseProof]) -> tuple[PartFigures, ...]:
    """Return the latencies of each open phase of a mix by use case: means, and quantiles with enough samples beyond."""
    return tuple(
        PartFigures(
            phase=load.phase,
            use_case=part.use_case,
            request=part.request,
            requests=part.requests,
            figures=named_by_proof(_figures(part), proofs.get(load.phase), evidence.trial),
        )
        for load in evidence.load
        if load.executor == "constant-arrival-rate"
        for part in load.parts
    )


def _figures(part: LoadPart) -> dict[str, float]:
    grid = grid_of_part(part)
    by_metric = {"latency_mean_ms": part.latency_mean_ms}
    by_metric |= {
        metric: latency_at(grid, quantile)
        for metric, quantile in QUANTILE_METRICS.items()
        if quantile in PART_QUANTILES and reportable(part.requests, quantile)
    }
    return {metric: rounded(value) for metric, value in by_metric.items()}
