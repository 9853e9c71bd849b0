"""Latency by open load: quantiles of a phase, and of the use cases and requests of a mix.

In a saturated closed loop a stall hides its own victims, so closed phases have a mean alone."""

from __future__ import annotations

from plumbline.model.evidence import PART_QUANTILES, Evidence, LoadPart
from plumbline.model.record import PartFigures
from .grid import at, grid_of, grid_of_part, reportable
from .rounding import rounded
from .view import Found, PhaseView

QUANTILE_METRICS: dict[str, float] = {
    "latency_p50_ms": 0.5,
    "latency_p90_ms": 0.9,
    "latency_p95_ms": 0.95,
    "latency_p99_ms": 0.99,
    "latency_p99_9_ms": 0.999,
}


def latency(view: PhaseView) -> Found:
    """Return means of loaded phases; of open ones each quantile with enough samples beyond it, and the greatest."""
    load = view.load
    if load is None or view.phase.kind not in ("closed", "open"):
        return {}
    found: Found = {"latency_mean_ms": load.latency_mean_ms}
    grid = grid_of(load) if view.phase.kind == "open" else None
    if grid is not None:
        found["latency_max_ms"] = grid.max_ms
        found |= {
            metric: at(grid, quantile)
            for metric, quantile in QUANTILE_METRICS.items()
            if reportable(grid.samples, quantile)
        }
    return found


def parts(evidence: Evidence) -> tuple[PartFigures, ...]:
    """Return the latencies of each open phase of a mix by use case: means, and quantiles with enough samples beyond."""
    return tuple(
        PartFigures(
            phase=load.phase,
            use_case=part.use_case,
            request=part.request,
            requests=part.requests,
            figures=_figures(part),
        )
        for load in evidence.load
        if load.executor == "constant-arrival-rate"
        for part in load.parts
    )


def _figures(part: LoadPart) -> dict[str, float]:
    grid = grid_of_part(part)
    found = {"latency_mean_ms": part.latency_mean_ms}
    found |= {
        metric: at(grid, quantile)
        for metric, quantile in QUANTILE_METRICS.items()
        if quantile in PART_QUANTILES and reportable(part.requests, quantile)
    }
    return {metric: rounded(value) for metric, value in found.items()}
