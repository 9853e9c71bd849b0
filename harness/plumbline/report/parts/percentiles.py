"""Latency by percentile at each open rate: trials merged as mixtures, quantiles with enough samples beyond them."""

from __future__ import annotations

from collections.abc import Mapping

from plumbline.figures.latency import Grid, at, grid_of, merged, reportable
from plumbline.model.evidence import Evidence
from plumbline.model.plan import COUNTED, Scenario
from plumbline.model.record import Record
from ..view import LatencyLadder, Name, Percentiles

QUANTILES = (
    0.5,
    0.6,
    0.7,
    0.75,
    0.8,
    0.85,
    0.9,
    0.93,
    0.95,
    0.97,
    0.98,
    0.99,
    0.995,
    0.998,
    0.999,
    0.9995,
    0.9999,
)


def ladders(
    record: Record, scenario: Scenario, evidence: Mapping[int, Evidence], names: Mapping[str, Name]
) -> tuple[LatencyLadder, ...]:
    """Return a ladder for each phase of open load that left latencies."""
    found = []
    for phase in scenario.phases:
        if phase.kind != "open":
            continue
        lines = [
            _line(names[subject], _grids(record, scenario, phase.name, subject, evidence))
            for subject in (*record.plan.subjects, record.plan.control)
        ]
        shown = tuple(line for line in lines if line is not None)
        if shown:
            found.append(
                LatencyLadder(
                    phase=phase.name,
                    rate_per_s=None if phase.rate_per_s is None else round(phase.rate_per_s),
                    lines=shown,
                )
            )
    return tuple(found)


def _grids(
    record: Record, scenario: Scenario, phase: str, subject: str, evidence: Mapping[int, Evidence]
) -> list[Grid]:
    grids = [
        grid_of(load)
        for trial in record.trials
        if trial.subject == subject and trial.scenario == scenario.id
        if trial.role in COUNTED and trial.verdict != "invalid" and trial.number in evidence
        for load in evidence[trial.number].load
        if load.phase == phase
    ]
    return [grid for grid in grids if grid is not None and grid.samples > 0]


def _line(name: Name, grids: list[Grid]) -> Percentiles | None:
    if not grids:
        return None
    together = merged(grids)
    points = tuple(
        (quantile, at(together, quantile))
        for quantile in QUANTILES
        # In each trial, not in all of them together.
        if all(reportable(grid.samples, quantile) for grid in grids)
    )
    return (
        Percentiles(name=name, points=points, samples=together.samples, trials=len(grids)) if points else None
    )
