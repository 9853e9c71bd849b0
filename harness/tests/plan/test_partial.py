"""A partial suite asks each subject for the workloads it has; any other suite refuses a subject that lacks one."""

from __future__ import annotations

import pytest

from plumbline.model.errors import UsageError
from plumbline.model.plan import Plan
from plumbline.subjects.catalog.bench import SuiteSpec
from plumbline.subjects.plan.make import Selection, make_plan
from tests.checkout import CATALOG
from tests.judge.planned import LAB, host


def suite(partial: bool, *scenarios: str) -> SuiteSpec:
    return CATALOG.bench.suites["smoke"].model_copy(update={"partial": partial, "scenarios": scenarios})


def test_who_lacks_a_workload_is_left_out_of_it() -> None:
    worker, loop, program = (CATALOG.variant(name) for name in ("quarkus-hello-rest", "vertx-pg", "standalone-jdbc"))
    assert not CATALOG.serves(worker, "fruits") and CATALOG.serves(loop, "fruits")
    assert not CATALOG.serves(worker, "hello-sleep-async") and CATALOG.serves(loop, "hello-sleep-async")
    assert CATALOG.serves(program, "companies-t1") and not CATALOG.serves(program, "companies")
    CATALOG.require_workloads(suite(True, "hello", "fruits"), worker)
    with pytest.raises(UsageError, match="lacks"):
        CATALOG.require_workloads(suite(False, "hello", "fruits"), worker)
    with pytest.raises(UsageError, match="lacks"):
        CATALOG.require_workloads(suite(True, "fruits", "zipcode"), worker)
    with pytest.raises(UsageError, match="event-loop alone"):
        CATALOG.require_workloads(suite(False, "hello", "hello-sleep-async"), worker)


def test_the_plan_of_a_partial_suite_has_no_trial_that_nobody_could_run() -> None:
    plan = make_plan(CATALOG, Selection(suite="full", blocks=1, seed=1), host(), LAB, "taskset", session="x")
    names = {scenario.id: scenario.name for scenario in plan.scenarios}
    measured = [trial for trial in plan.trials if trial.role == "measured"]
    for trial in measured:
        assert CATALOG.serves(CATALOG.variant(CATALOG.subject(trial.subject).variant), names[trial.scenario]), trial
    assert {trial.subject for trial in measured} == set(plan.subjects)
    assert {trial.scenario for trial in measured} == set(names)


def test_a_narrowed_partial_suite_has_the_scenarios_that_somebody_takes() -> None:
    def narrowed(**options: object) -> Plan:
        selection = Selection(suite="full", only=("quarkus-hello-rest/*",), seed=1, **options)  # type: ignore[arg-type]
        return make_plan(CATALOG, selection, host(), LAB, "taskset", session="x")

    variant = CATALOG.variant("quarkus-hello-rest")
    served = [name for name in CATALOG.bench.suites["full"].scenarios if CATALOG.serves(variant, name)]
    plan = narrowed()
    assert 0 < len(served) < len(CATALOG.bench.suites["full"].scenarios)
    assert [scenario.name for scenario in plan.scenarios] == served
    measured = {trial.scenario for trial in plan.trials if trial.role == "measured"}
    assert measured == {trial.scenario for trial in plan.trials if trial.role == "control"}
    for budget_s in (None, 1200.0):
        with pytest.raises(UsageError, match="None of these subjects serves fruits"):
            narrowed(scenarios=("fruits",), budget_s=budget_s)
