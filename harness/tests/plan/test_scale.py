"""A suite at a share of its size: what shrinks, what stays, and that its figures are never mixed with other scales."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.archive.record.names import _SCENARIO
from plumbline.model.plan import Plan
from plumbline.subjects.catalog.bench import SuiteSpec
from plumbline.subjects.plan.make import Selection, make_plan
from plumbline.subjects.plan.phases import (
    LEAST_BATCH,
    LEAST_BLOCKS,
    LEAST_LOAD_S,
    LEAST_PAUSE_S,
    operation_at,
    suite_at,
)
from tests.checkout import CATALOG
from tests.judge.planned import SMALL, host

SCALES = st.integers(100, 10_000).map(lambda n: n / 10_000)
SPANS = st.integers(1, 900_000).map(lambda n: f"{n}ms")


def plan(suite: str, scale: float, blocks: int | None = None) -> Plan:
    return make_plan(
        CATALOG,
        Selection(suite=suite, scale=scale, blocks=blocks, seed=1),
        host("small"),
        SMALL,
        "taskset",
        session="x",
    )


@given(SCALES, SPANS, SPANS, st.integers(1, 200))
def test_times_and_blocks_shrink_alike_down_to_what_rules_need(
    scale: float, time: str, pause: str, blocks: int
) -> None:
    full_suite = SuiteSpec.model_validate(
        {
            "about": "any",
            "subjects": ("vertx-pg/jvm/pg",),
            "scenarios": ("fruits",),
            "blocks": blocks,
            "budget": "1h",
            "phases": (
                {"kind": "warm-up", "time": time, "cycles": 3, "pause": pause},
                {"kind": "open", "time": time, "rates": [100, "80%"]},
            ),
        }
    )
    scaled_suite = suite_at(full_suite, scale)
    assert min(full_suite.blocks, LEAST_BLOCKS) <= scaled_suite.blocks <= full_suite.blocks
    assert scaled_suite.blocks >= full_suite.blocks * scale
    for full_phase, scaled_phase in zip(full_suite.phases, scaled_suite.phases, strict=True):
        assert 1 <= scaled_phase.cycles <= full_phase.cycles
        assert scaled_phase.cycles == full_phase.cycles or full_phase.time * scale < LEAST_LOAD_S
        assert scaled_phase.cycles * scaled_phase.time == pytest.approx(
            max(full_phase.cycles * full_phase.time * scale, min(full_phase.time, LEAST_LOAD_S)), abs=0.01
        )
        assert scaled_phase.time >= min(full_phase.time, LEAST_LOAD_S) - 0.001
        assert scaled_phase.pause == pytest.approx(
            max(full_phase.pause * scale, min(full_phase.pause, LEAST_PAUSE_S)), abs=0.001
        )
        assert (scaled_phase.rates, scaled_phase.kind) == (full_phase.rates, full_phase.kind)
    assert suite_at(full_suite, 1.0) == full_suite


def test_a_batch_shrinks_and_nothing_else_of_an_operation() -> None:
    assert operation_at("GET /benchmark?query=one&count=5000", 0.25) == "GET /benchmark?query=one&count=1250"
    assert operation_at("GET /benchmark?query=sleep&count=40", 0.1).endswith(f"&count={LEAST_BATCH}")
    assert operation_at("GET /benchmark?query=sleep&count=10", 0.1).endswith("&count=10")
    assert operation_at("GET /companies?limit=100", 0.1) == "GET /companies?limit=100"


def test_a_scaled_session_has_scenarios_of_its_own() -> None:
    full_plan, scaled_plan = plan("seed-001", 1.0), plan("seed-001", 0.25)
    assert "companies-t1@1" in {scenario.id for scenario in full_plan.scenarios}
    assert [scenario.id for scenario in scaled_plan.scenarios] == [
        f"{scenario.id}x0.25" for scenario in full_plan.scenarios
    ]
    assert {trial.scenario for trial in scaled_plan.trials} == {scenario.id for scenario in scaled_plan.scenarios}
    assert (full_plan.scale, scaled_plan.scale) == (1.0, 0.25)
    assert scaled_plan.expected_s < full_plan.expected_s
    assert all(scenario.unrated.id == scenario.id for scenario in scaled_plan.scenarios)


def test_blocks_that_are_asked_for_are_not_scaled() -> None:
    assert plan("seed-001", 0.25, blocks=5).blocks == 5


@given(SCALES)
def test_what_lands_on_the_data_branch_may_be_scaled(scale: float) -> None:
    assert all(_SCENARIO.fullmatch(scenario.id) for scenario in plan("smoke", scale).scenarios)
