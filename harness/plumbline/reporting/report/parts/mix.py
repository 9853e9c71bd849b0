"""Response times of a mix by use case: all counting trials of a subject as one mixture."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from plumbline.model.evidence import Evidence, LoadResult
from plumbline.model.plan import Scenario
from plumbline.model.record import Record
from plumbline.verdicts.figures.latency import Grid, at, grid_of, grid_of_part, merged, reportable
from ..view import Box, Boxes, MixView, Name, RequestMeans
from .naming import where
from .trials import measured_trials

# Quantiles of a box: its whiskers, its ends and its middle.
DRAWN = (0.05, 0.25, 0.5, 0.75, 0.95)
ALL = "all use cases"


def mixes(
    record: Record, scenario: Scenario, evidence: Mapping[int, Evidence], names: Mapping[str, Name]
) -> tuple[MixView, ...]:
    """Return a table for each open phase of a mix that left response times; none for any other scenario."""
    found = []
    for phase in scenario.phases:
        if phase.kind != "open" or not scenario.use_cases:
            continue
        loads = {
            subject: _loads(record, scenario, phase.name, subject, evidence)
            for subject in record.plan.subjects
        }
        loads = {subject: its for subject, its in loads.items() if its}
        if loads:
            found.append(
                MixView(
                    phase=phase.name,
                    where=where(scenario, phase.name),
                    boxes=tuple(_boxes(scenario, loads, names)),
                    requests=tuple(_requests(scenario, loads, names)),
                )
            )
    return tuple(found)


def _loads(
    record: Record, scenario: Scenario, phase: str, subject: str, evidence: Mapping[int, Evidence]
) -> list[LoadResult]:
    return [
        load
        for trial in measured_trials(record, scenario)
        if trial.subject == subject and trial.verdict != "invalid" and trial.number in evidence
        for load in evidence[trial.number].load
        if load.phase == phase and load.parts
    ]


def _boxes(
    scenario: Scenario, loads: Mapping[str, Sequence[LoadResult]], names: Mapping[str, Name]
) -> list[Boxes]:
    whole = [
        _box(
            names[subject],
            [grid for load in its if (grid := grid_of(load)) is not None],
            [(load.latency_mean_ms or 0.0, load.requests) for load in its],
        )
        for subject, its in loads.items()
    ]
    found = [Boxes(ALL, "", tuple(box for box in whole if box is not None))]
    for one in scenario.use_cases:
        rows = []
        for subject, its in loads.items():
            parts = [
                part
                for load in its
                for part in load.parts
                if (part.use_case, part.request) == (one.name, None)
            ]
            box = _box(
                names[subject],
                [grid_of_part(part) for part in parts],
                [(part.latency_mean_ms, part.requests) for part in parts],
            )
            rows += [] if box is None else [box]
        found.append(Boxes(one.name, ", then ".join(one.requests), tuple(rows)))
    return found


def _box(name: Name, grids: Sequence[Grid], means: Sequence[tuple[float, int]]) -> Box | None:
    if not grids:
        return None
    whole = merged(grids)
    return Box(
        name=name,
        mean=_mean(means),
        quantiles={quantile: at(whole, quantile) for quantile in DRAWN if _known(whole.samples, quantile)},
        requests=whole.samples,
        trials=len(grids),
    )


def _known(samples: int, quantile: float) -> bool:
    """Return whether a quantile is known on both sides: a lower whisker needs requests below it, too."""
    return reportable(samples, max(quantile, 1 - quantile))


def _requests(
    scenario: Scenario, loads: Mapping[str, Sequence[LoadResult]], names: Mapping[str, Name]
) -> list[RequestMeans]:
    found = []
    for one in scenario.use_cases:
        for request in dict.fromkeys(one.requests):
            means = []
            for subject, its in loads.items():
                parts = [
                    (part.latency_mean_ms, part.requests)
                    for load in its
                    for part in load.parts
                    if (part.use_case, part.request) == (one.name, request)
                ]
                means.append((names[subject], _mean(parts) if parts else None))
            found.append(RequestMeans(one.name, request, tuple(means)))
    return found


def _mean(means: Sequence[tuple[float, int]]) -> float:
    """Return the mixture of all requests together."""
    return math.fsum(mean * count for mean, count in means) / sum(count for _, count in means)
