"""The search for the smallest heap: what it finds, how often it looks, and what a process tells it."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from plumbline.measuring.build.builder import Unavailable
from plumbline.measuring.run import smallest_heap as module
from plumbline.measuring.run.smallest_heap import (
    PROCESSES,
    STEP_MIB,
    Look,
    mebibytes_of,
    read_look,
    require_searchable,
    search,
    smallest_heap,
)
from plumbline.model.errors import CannotGoOn, UsageError
from plumbline.model.evidence import Evidence, Failure
from plumbline.model.plan import Phase, Plan, PlannedTrial
from plumbline.subjects.plan.phases import scenario_of
from tests.checkout import CATALOG
from tests.judge.evidence import evidence
from tests.judge.planned import CONTROL, OPEN_RATE, SMALL, host, plan

PLAN = plan()
VALID = evidence(next(trial for trial in PLAN.trials if trial.role == "measured"), PLAN.sets)
PHASE = f"open@{OPEN_RATE}"
ARRIVALS = next(result.requests for result in VALID.load if result.phase == PHASE)


class Application:
    """An application that keeps the rate from `needs_mib` on. `bad` maps a heap to the number of its bad process."""

    def __init__(self, needs_mib: int, bad: dict[int, int] | None = None) -> None:
        self.needs_mib, self.bad = needs_mib, bad or {}
        self.heaps: list[int] = []

    def __call__(self, heap_mib: int) -> Look:
        self.heaps.append(heap_mib)
        fails = heap_mib < self.needs_mib or self.heaps.count(heap_mib) == self.bad.get(heap_mib)
        memory = heap_mib * 2.0**20 + self.heaps.count(heap_mib)
        return Look(heap_mib, None if fails else memory, "no memory" if fails else None)


@pytest.mark.parametrize("needs_mib", [1, 8, 9, 47, 48, 49, 250, 504, 505, 512])
def test_the_smallest_heap_is_found_to_a_step(needs_mib: int) -> None:
    application = Application(needs_mib)
    smallest = search(application, 512)
    assert smallest.heap_mib == -(-needs_mib // STEP_MIB) * STEP_MIB
    assert application.heaps.count(smallest.heap_mib) == PROCESSES
    # The middle of three processes.
    assert smallest.memory_bytes == smallest.heap_mib * 2.0**20 + 2
    if smallest.heap_mib > STEP_MIB:
        assert smallest.below is not None and smallest.below.heap_mib == smallest.heap_mib - STEP_MIB
    else:
        assert smallest.below is None
    # Six halvings of 512 MiB, where what fails is repeated, the largest heap, and the repeats.
    assert len(application.heaps) <= 1 + 2 * 6 + PROCESSES - 1


def test_a_heap_that_fails_when_it_is_repeated_is_given_up() -> None:
    smallest = search(Application(48, bad={48: 3, 56: 2}), 512)
    assert smallest.heap_mib == 64 and smallest.below is not None
    assert (smallest.below.heap_mib, smallest.below.problem) == (56, "no memory")


def test_a_failure_by_chance_does_not_hide_smaller_heaps() -> None:
    application = Application(48, bad={512: 1, 256: 1})
    assert search(application, 512).heap_mib == 48
    assert [application.heaps.count(heap_mib) for heap_mib in (512, 256, 128)] == [2, 2, 1]


def test_nothing_is_found_where_the_largest_heap_is_too_small() -> None:
    application = Application(513)
    smallest = search(application, 512)
    assert (smallest.heap_mib, smallest.memory_bytes, application.heaps) == (None, None, [512, 512])
    assert smallest.below is not None and smallest.below.heap_mib == 512


def trial_with(**changes: Any) -> Evidence:
    """A valid trial with these changes of its open load; `failure` is the failure of the trial."""
    failure = changes.pop("failure", None)
    loads = tuple(result.model_copy(update=changes) if result.phase == PHASE else result for result in VALID.load)
    return VALID.model_copy(update={"load": loads, "failure": failure})


@pytest.mark.parametrize(
    ("left", "problem"),
    [
        (trial_with(), None),
        (trial_with(completed=ARRIVALS // 2), f"it answered {OPEN_RATE / 2:.0f} requests/s"),
        (trial_with(completed=ARRIVALS - 3, dropped=3), f"it answered {OPEN_RATE} requests/s"),
        (trial_with(completed=ARRIVALS - 3, failed=3), "3 requests failed"),
        (
            trial_with(failure=Failure(phase="start", problem="The application ended with status 1.")),
            "in the phase start: The application ended with status 1.",
        ),
    ],
)
def test_a_process_keeps_the_rate_if_it_answers_every_arrival_in_time(left: Evidence, problem: str | None) -> None:
    look = read_look(left, PLAN.scenario(left.scenario), PLAN.sets, 48)
    assert (look.heap_mib, look.problem, look.keeps) == (48, problem, problem is None)
    assert (look.memory_bytes is None) == (left.failure is not None)


def test_failures_before_the_rate_is_judged_say_nothing_of_the_heap() -> None:
    loads = tuple(
        result if result.phase == PHASE else result.model_copy(update={"failed": 3, "checks_failed": 1})
        for result in VALID.load
    )
    assert loads != VALID.load
    left = VALID.model_copy(update={"load": loads})
    assert read_look(left, PLAN.scenario(left.scenario), PLAN.sets, 48).keeps


@pytest.mark.parametrize(
    "problem",
    [
        "The database was not restored: no space is left.",
        "The database ended by itself: signal 9.",
        "The sources of the orders ended by themselves: signal 9.",
        "The six sources of an order do not tell how often they answered.",
        "k6 died in the phase open@100: signal 9.",
        "k6 refused the phase open@100, which is wrong.",
        "k6 did not end within 61 s in the phase open@100.",
        "k6 left no summary of the phase open@100: No such file or directory.",
        "k6's summary of the phase open@100 does not add up.",
        "A file for k6 in the phase open@100 can't be written: No space left on device.",
        "One of 2 k6 processes was not ready within 20 s.",
    ],
)
def test_a_failure_of_another_process_tells_nothing_of_the_heap(problem: str) -> None:
    with pytest.raises(CannotGoOn, match=problem.partition(":")[0]):
        read_look(
            trial_with(failure=Failure(phase="start", problem=problem)), PLAN.scenario(VALID.scenario), PLAN.sets, 48
        )


def test_conditions_that_the_host_cannot_give_are_no_heap(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "why_conditions_unavailable", lambda testbed, settings: settings["cpu-share"])
    context: Any = SimpleNamespace(catalog=CATALOG)
    subject = CATALOG.subject("vertx-pg/jvm/pg+cpu-share=50")
    with pytest.raises(Unavailable, match="is unavailable: 50"):
        smallest_heap(context, context, subject, "fruits", 200)


def test_a_size_of_the_setting_is_read_in_mebibytes() -> None:
    assert (mebibytes_of("512m"), mebibytes_of("2g")) == (512, 2048)


def test_the_heap_of_the_control_is_searched_from_that_of_bench_toml(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the heap of bench.toml its subject is the control itself, which is no measured subject of a plan."""
    phases: list[Phase] = []

    def run_alone(testbed: Any, context: Any, plan: Plan, trial: PlannedTrial, job: Any) -> Evidence:
        phases.extend(plan.scenario(trial.scenario).phases)
        return evidence(PLAN.trials[1], plan.sets)

    monkeypatch.setattr(module, "run_alone", run_alone)

    def job(text: str, scenario: str) -> Any:
        spec = scenario_of(scenario, CATALOG.scenario(scenario), CATALOG.bench.suites["smoke"])
        return SimpleNamespace(subject=CATALOG.subject(text), scenario=spec)

    testbed: Any = SimpleNamespace(sets=SMALL, placement=SimpleNamespace(name="taskset"), session="heap")
    context: Any = SimpleNamespace(catalog=CATALOG, host=host("small"), job=job, say=lambda text: None)
    found = smallest_heap(testbed, context, CATALOG.subject(CONTROL), "fruits", OPEN_RATE)
    assert found.heap_mib == STEP_MIB
    # Closed load in the warm-up would ask more of a heap than the rate does.
    loaded = [(phase.connections, phase.rate_per_s) for phase in phases if phase.duration_s]
    assert {*loaded} == {(None, OPEN_RATE)} and {"warm-up", "open"} < {phase.kind for phase in phases}


@pytest.mark.parametrize(
    ("subject", "scenario"),
    [("vertx-pg", "hello-ramp"), ("quarkus-rest-orm", "orders-mix"), ("vertx-pg", "zipcode-drift")],
)
def test_a_scenario_of_its_own_phases_would_send_another_rate(subject: str, scenario: str) -> None:
    context: Any = SimpleNamespace(catalog=CATALOG)
    with pytest.raises(UsageError, match=f"'{scenario}' has phases of its own"):
        require_searchable(context, subject, scenario)


def test_a_search_needs_a_largest_heap() -> None:
    bench = CATALOG.bench.model_copy(update={"defaults": {**CATALOG.bench.defaults, "heap": "auto"}})
    context: Any = SimpleNamespace(catalog=replace(CATALOG, bench=bench))
    with pytest.raises(UsageError, match="a heap of a known size"):
        require_searchable(context, "vertx-pg", "fruits")
