"""Start every subject once before the first trial, and discard that start.

It warms the page cache, shows within seconds whether an application starts and answers at all, and, where rates are
shares of capacity, measures the capacity of the slowest.
"""

from __future__ import annotations

from dataclasses import replace

from plumbline.model.evidence import Evidence
from plumbline.model.plan import Phase, PlannedTrial, Scenario
from plumbline.plan.phases import needs_capacity
from .job import Job
from .progress import Progress
from .testbed import Testbed
from .trial import run_trial

# Short: it decides a rate that is rounded to two digits, not a figure.
WARM_UP_S = 5.0
CAPACITY_S = 5.0


def rehearsal_scenario(scenario: Scenario) -> Scenario:
    """Return the scenario without its load, or with a short closed one where its rates wait for a capacity."""
    kept = tuple(phase for phase in scenario.phases if not phase.duration_s)
    if needs_capacity(scenario):
        connections = next(phase.connections for phase in scenario.phases if phase.connections)
        load = (
            Phase(kind="warm-up", name="warm-up", duration_s=WARM_UP_S, connections=connections),
            Phase(kind="closed", name="closed", duration_s=CAPACITY_S, connections=connections),
        )
        kept = (*kept[:-1], *load, kept[-1])
    return scenario.model_copy(update={"phases": kept})


def rehearse(testbed: Testbed, job: Job, progress: Progress) -> Evidence:
    """Run the rehearsal of a job's subject; its evidence is not kept in the record."""
    trial = PlannedTrial(
        number=0, block=0, subject=job.subject.id, scenario=job.scenario.id, role="discarded"
    )
    return run_trial(testbed, replace(job, trial=trial, scenario=rehearsal_scenario(job.scenario)), progress)


def capacity_per_s(evidence: Evidence) -> float | None:
    """Return requests a second that the rehearsal's closed phase completed; None when it did not come that far."""
    for load in evidence.load:
        if load.phase == "closed" and load.window_s > 0:
            return load.completed / load.window_s
    return None
