"""A ramp goes as high as a host's load generator can prove, and the plan says what it leaves out."""

from __future__ import annotations

import pytest

from plumbline.cli.plan_table import ramp
from plumbline.model.host import CpuSets
from plumbline.subjects.catalog.bench import ScenarioSpec
from plumbline.subjects.plan.make import Selection, make_plan
from plumbline.subjects.plan.phases import ARRIVALS_A_CPU
from tests.checkout import CATALOG
from tests.judge.planned import SMALL, host

LARGE = CpuSets(app=(0, 1), db=(2,), load=tuple(range(3, 11)), housekeeping=(11,))


@pytest.mark.parametrize(
    ("sets", "highest", "left_out"),
    [(SMALL, 5_000, "10000, 20000, 40000, 60000, 80000"), (LARGE, 40_000, "60000, 80000")],
)
def test_the_highest_rung_is_what_can_be_proven(sets: CpuSets, highest: int, left_out: str) -> None:
    plan = make_plan(
        CATALOG,
        Selection(suite="seed-003", scenarios=("hello-ramp",), blocks=1, seed=1),
        host(),
        sets,
        "taskset",
        session="x",
    )
    (scenario,) = plan.scenarios
    rates = [phase.rate_per_s for phase in scenario.phases if phase.rate_per_s is not None]
    assert rates == sorted(rates) and rates[-1] == highest == ARRIVALS_A_CPU * len(sets.load)
    (note,) = ramp(plan, CATALOG.scenario("hello-ramp"))
    assert left_out in note


@pytest.mark.parametrize(
    "phases", [[], [{"kind": "closed", "time": "3s"}], [{"kind": "open", "time": "3s", "rates": ["50%"]}]]
)
def test_a_ramp_has_rates_of_its_own(phases: list[dict[str, object]]) -> None:
    with pytest.raises(ValueError, match="a ramp needs 'phases' of its own"):
        ScenarioSpec.model_validate(
            {
                "about": "x",
                "version": 1,
                "workload": "hello",
                "script": "hello.ts",
                "operation": "GET /hello/{name}",
                "connections": 20,
                "ramp": True,
                "phases": phases,
            }
        )
