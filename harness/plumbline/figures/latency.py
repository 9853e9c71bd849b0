"""Latency: quantiles of open load only. In a saturated closed loop a stall hides its own victims."""

from __future__ import annotations

from .grid import at, grid_of, reportable
from .view import Found, PhaseView

QUANTILE_METRICS: dict[str, float] = {
    "latency_p50_ms": 0.5,
    "latency_p90_ms": 0.9,
    "latency_p95_ms": 0.95,
    "latency_p99_ms": 0.99,
    "latency_p99_9_ms": 0.999,
}


def latency(view: PhaseView) -> Found:
    """Means of loaded phases; of open ones each quantile with enough samples beyond it, and the greatest."""
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
