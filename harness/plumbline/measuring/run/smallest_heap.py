"""Search the smallest heap with which an application keeps a rate of requests.

At a fixed heap two programs end at the same memory: each fills what it was given. So memory is compared at the heap
that each side would choose (`heap=auto`), and at the smallest heap that does the same work. A search finds that heap.
Its figures come from few processes and stand in no record, so a session compares the heaps that were found.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from statistics import median

from plumbline.measuring.build.builder import Unavailable
from plumbline.model.errors import CannotGoOn, UsageError
from plumbline.model.evidence import Evidence
from plumbline.model.host import CpuSets
from plumbline.model.plan import Phase, Plan, Scenario
from plumbline.model.subject import Subject, has_aot_cache
from plumbline.verdicts.figures.compute import figures
from .alone import plan_alone, run_alone, trial_of
from .conditions import why_conditions_unavailable
from .context import Context
from .testbed import Testbed

STEP_MIB = 8
"""Heaps are multiples of this many MiB; a smaller difference is less than what two processes differ by."""

PROCESSES = 3
"""The number of processes that must keep the rate with the heap that is found. Before that one a heap is enough."""

_WARM_UP_S, _LOAD_S = 10, 20
# How the sentences of failures begin that are not the application's.
_OF_OTHERS = ("The database", "The sources", "The six sources", "k6", "A file for k6", "One of")


@dataclass(frozen=True)
class Look:
    """A process with a heap: its memory under the load (None: not read), and why it did not keep the rate (None: it
    kept the rate).
    """

    heap_mib: int
    memory_bytes: float | None
    problem: str | None

    @property
    def keeps(self) -> bool:
        """Whether the process answered every arrival of the judged phase in time, and none wrongly."""
        return self.problem is None


@dataclass(frozen=True)
class FoundHeap:
    """What a search found: the smallest heap that keeps the rate, None where not even the largest does.

    `memory_bytes` is the median memory of the processes with this heap; `below` is the process with the largest smaller
    heap that did not keep the rate.
    """

    heap_mib: int | None
    memory_bytes: float | None
    below: Look | None


def require_searchable(context: Context, text: str, scenario: str) -> Subject:
    """Return a subject by its name. Raises UsageError for one whose heap can't be searched under the scenario."""
    subject = context.catalog.subject(text)
    variant = context.catalog.variant(subject.variant)
    if context.catalog.scenario(scenario).phases:
        raise UsageError(
            f"'{scenario}' has phases of its own, and a search sends one rate.", "Name another --scenario."
        )
    if context.catalog.bench.defaults["heap"] == "auto":
        raise UsageError(
            "bench.toml: [defaults] has heap = 'auto', and a search goes up to a heap of a known size.",
            "Name a size there, such as 512m.",
        )
    if "heap" in subject.settings:
        raise UsageError(f"{subject.id} has a heap already.", "Leave +heap out: it is what is searched.")
    if has_aot_cache(subject.packaging):
        raise UsageError(
            f"{subject.id}: an AOT cache is trained for one heap, and each look would need another.",
            f"Search that of {subject.variant}/jvm/{subject.engine}.",
        )
    if variant.spec.serves_on == "cli" or not context.catalog.serves(variant, scenario):
        raise UsageError(f"{subject.variant} does not serve '{scenario}'.", "Name another --scenario.")
    return subject


def smallest_heap(testbed: Testbed, context: Context, subject: Subject, scenario: str, rate_per_s: int) -> FoundHeap:
    """Search a subject's heap on the testbed, whose database is of its engine, up to the heap of bench.toml.

    Raises Unavailable if the host can't give what the subject's settings ask for.
    """
    if (missing := why_conditions_unavailable(testbed, context.catalog.settings_of(subject))) is not None:
        raise Unavailable(f"{subject.id} is unavailable: {missing}")

    def look(heap_mib: int) -> Look:
        result = _try_heap(testbed, context, subject, scenario, rate_per_s, heap_mib)
        context.say(f"{subject.id} with {heap_mib} MiB: {result.problem or f'keeps {rate_per_s} requests/s'}")
        return result

    return search(look, mebibytes_of(context.catalog.bench.defaults["heap"]))


def mebibytes_of(heap: str) -> int:
    """Return the MiB of a value of the setting `heap` that is a size: `512m`, `2g`."""
    return int(heap[:-1]) * (1024 if heap.endswith("g") else 1)


def search(look: Callable[[int], Look], most_mib: int) -> FoundHeap:
    """Return the smallest heap of at most `most_mib` with which PROCESSES processes keep the rate.

    The interval between a heap that keeps the rate and a heap that does not is halved, down to a step; there a heap has
    to fail twice, since a failure by chance would hide all smaller heaps. If a later look at the heap that was found
    fails, the next larger heap is tried.
    """

    def halving_look(heap_mib: int) -> Look:
        first = look(heap_mib)
        return first if first.keeps else look(heap_mib)

    looks = [halving_look(most_mib)]
    low, high = 0, most_mib // STEP_MIB
    while looks[0].keeps and high - low > 1:
        middle = (low + high) // 2
        looks.append(halving_look(middle * STEP_MIB))
        low, high = (low, middle) if looks[-1].keeps else (middle, high)
    for heap_mib in range(high * STEP_MIB, most_mib + 1, STEP_MIB):
        if repeated_looks := _repeated_looks(look, heap_mib, looks):
            memories = [repeated.memory_bytes for repeated in repeated_looks if repeated.memory_bytes is not None]
            below = [failed for failed in looks if not failed.keeps and failed.heap_mib < heap_mib]
            return FoundHeap(
                heap_mib,
                median(memories) if memories else None,
                max(below, key=lambda failed: failed.heap_mib, default=None),
            )
    return FoundHeap(None, None, looks[0])


def _repeated_looks(look: Callable[[int], Look], heap_mib: int, looks: list[Look]) -> list[Look]:
    """Return PROCESSES looks at a heap if all keep the rate, else an empty list. New looks are added to `looks`."""
    looks_at_heap = [earlier for earlier in looks if earlier.heap_mib == heap_mib]
    while all(repeated.keeps for repeated in looks_at_heap) and len(looks_at_heap) < PROCESSES:
        looks_at_heap.append(look(heap_mib))
        looks.append(looks_at_heap[-1])
    return looks_at_heap if all(repeated.keeps for repeated in looks_at_heap) else []


def _try_heap(
    testbed: Testbed, context: Context, subject: Subject, scenario: str, rate_per_s: int, heap_mib: int
) -> Look:
    with_heap = subject.model_copy(update={"settings": {**subject.settings, "heap": f"{heap_mib}m"}})
    job = context.job(with_heap.id, scenario)
    phases = (
        {"kind": "warm-up", "time": f"{_WARM_UP_S}s"},
        {"kind": "open", "time": f"{_LOAD_S}s", "rates": [rate_per_s]},
    )
    plan = _warmed_at_the_rate(plan_alone(context, testbed, job, phases), rate_per_s)
    trial = trial_of(plan, job.subject.id)
    evidence = run_alone(testbed, context, plan, trial, job)
    return read_look(evidence, plan.scenario(trial.scenario), testbed.sets, heap_mib)


def _warmed_at_the_rate(plan: Plan, rate_per_s: int) -> Plan:
    """Return the plan with open load in its warm-up: closed load would ask more of a heap than the rate."""

    def warmed(phase: Phase) -> Phase:
        if phase.kind != "warm-up":
            return phase
        return phase.model_copy(update={"connections": None, "rate_per_s": rate_per_s})

    scenarios = (
        scenario.model_copy(update={"phases": tuple(map(warmed, scenario.phases))}) for scenario in plan.scenarios
    )
    return plan.model_copy(update={"scenarios": tuple(scenarios)})


def read_look(evidence: Evidence, scenario: Scenario, sets: CpuSets, heap_mib: int) -> Look:
    """Return the look at a heap that the evidence of one process shows. Raises CannotGoOn if it tells nothing of it."""
    if evidence.failure is not None:
        if evidence.failure.problem.startswith(_OF_OTHERS):
            raise CannotGoOn(evidence.failure.problem, "Search again: no heap was at fault.")
        return Look(heap_mib, None, f"in the phase {evidence.failure.phase}: {evidence.failure.problem}")
    phase = next(planned.name for planned in scenario.phases if planned.kind == "open")
    values = figures(evidence, scenario, sets).get(phase, {})
    errors = sum(load.failed + load.checks_failed for load in evidence.load if load.phase == phase)
    problem = None
    if errors:
        problem = f"{errors} requests failed"
    elif values.get("saturated") != 0:
        problem = f"it answered {values.get('achieved_rate_per_s', 0):.0f} requests/s"
    return Look(heap_mib, values.get("rss_under_load_bytes"), problem)
