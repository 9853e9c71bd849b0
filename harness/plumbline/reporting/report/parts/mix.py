"""Response times of a mix by use case: all counting trials of a subject as one mixture."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from plumbline.model.evidence import Evidence, LoadResult
from plumbline.model.plan import Scenario
from plumbline.model.record import Record, Trial
from plumbline.verdicts.figures.latency import Grid, grid_of, grid_of_part, latency_at, merged, reportable
from ..view import Box, Boxes, MixView, Name, RequestMeans
from .naming import phase_in_words
from .trials import by_proof, measured_trials

# Quantiles of a box: its whiskers, its ends and its middle.
DRAWN = (0.05, 0.25, 0.5, 0.75, 0.95)
ALL = "all use cases"


def mixes(
    record: Record, scenario: Scenario, evidence: Mapping[int, Evidence], names: Mapping[str, Name]
) -> tuple[MixView, ...]:
    """Return a view for each open phase of a mix that left response times; none for any other scenario.

    Trials that were not proven to be of a warm program have a view of their own.
    """
    counting = [trial for trial in measured_trials(record, scenario) if trial.verdict != "invalid"]
    views = []
    for phase in scenario.phases:
        if phase.kind != "open" or not scenario.use_cases:
            continue
        for place, trials in by_proof(counting, phase.name, phase_in_words(scenario, phase.name)):
            if loads := _loads(record.plan.subjects, trials, phase.name, evidence):
                boxes, requests = _boxes(scenario, loads, names), _requests(scenario, loads, names)
                views.append(MixView(phase.name, place, tuple(boxes), tuple(requests)))
    return tuple(views)


def _loads(
    subjects: Sequence[str], trials: Sequence[Trial], phase: str, evidence: Mapping[int, Evidence]
) -> dict[str, list[LoadResult]]:
    """Return the loads of the trials by subject, of subjects that have any."""
    loads = {
        subject: [
            load
            for trial in trials
            if trial.subject == subject and trial.number in evidence
            for load in evidence[trial.number].load
            if load.phase == phase and load.parts
        ]
        for subject in subjects
    }
    return {subject: subject_loads for subject, subject_loads in loads.items() if subject_loads}


def _boxes(scenario: Scenario, loads: Mapping[str, Sequence[LoadResult]], names: Mapping[str, Name]) -> list[Boxes]:
    overall = [
        _box(
            names[subject],
            [grid for load in subject_loads if (grid := grid_of(load)) is not None],
            [(load.latency_mean_ms or 0.0, load.requests) for load in subject_loads],
        )
        for subject, subject_loads in loads.items()
    ]
    all_boxes = [Boxes(ALL, "", tuple(box for box in overall if box is not None))]
    for use_case in scenario.use_cases:
        rows = []
        for subject, subject_loads in loads.items():
            parts = [
                part
                for load in subject_loads
                for part in load.parts
                if (part.use_case, part.request) == (use_case.name, None)
            ]
            box = _box(
                names[subject],
                [grid_of_part(part) for part in parts],
                [(part.latency_mean_ms, part.requests) for part in parts],
            )
            rows += [] if box is None else [box]
        all_boxes.append(Boxes(use_case.name, ", then ".join(use_case.requests), tuple(rows)))
    return all_boxes


def _box(name: Name, grids: Sequence[Grid], means: Sequence[tuple[float, int]]) -> Box | None:
    if not grids:
        return None
    mixture = merged(grids)
    return Box(
        name=name,
        mean=_mean(means),
        quantiles={
            quantile: latency_at(mixture, quantile)
            for quantile in DRAWN
            # Each trial needs enough requests, not only all trials together.
            if all(_is_reportable(grid.samples, quantile) for grid in grids)
        },
        requests=mixture.samples,
        trials=len(grids),
    )


def _is_reportable(samples: int, quantile: float) -> bool:
    """Return whether enough requests lie on both sides of a quantile: a lower whisker needs requests below it, too."""
    return reportable(samples, max(quantile, 1 - quantile))


def _requests(
    scenario: Scenario, loads: Mapping[str, Sequence[LoadResult]], names: Mapping[str, Name]
) -> list[RequestMeans]:
    request_means = []
    for use_case in scenario.use_cases:
        for request in dict.fromkeys(use_case.requests):
            means = []
            for subject, subject_loads in loads.items():
                parts = [
                    (part.latency_mean_ms, part.requests)
                    for load in subject_loads
                    for part in load.parts
                    if (part.use_case, part.request) == (use_case.name, request)
                ]
                means.append((names[subject], _mean(parts) if parts else None))
            request_means.append(RequestMeans(use_case.name, request, tuple(means)))
    return request_means


def _mean(means: Sequence[tuple[float, int]]) -> float:
    """Return the mean over all requests from (mean, number of requests) of each part."""
    return math.fsum(mean * count for mean, count in means) / sum(count for _, count in means)
