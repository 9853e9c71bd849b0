"""Response times of a mix: by use case, and by request within it."""

from __future__ import annotations

from plumbline.model.evidence import PART_QUANTILES, Evidence, LoadPart
from plumbline.model.record import PartFigures
from .grid import at, grid_of_part, reportable
from .latency import QUANTILE_METRICS
from .rounding import rounded


def parts(evidence: Evidence) -> tuple[PartFigures, ...]:
    """Of each open phase of a mix, in the order of its use cases: means, and quantiles with enough samples beyond."""
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
