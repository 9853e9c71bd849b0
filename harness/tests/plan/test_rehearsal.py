"""The load of a rehearsal, which finds the capacity of a warm program, and the time that it takes."""

from __future__ import annotations

import pytest

from plumbline.model.plan import Scenario
from plumbline.subjects.plan.duration import capacity_s, preparation_s, session_s, trial_s
from plumbline.subjects.plan.make import order_trials
from plumbline.subjects.plan.phases import (
    CAPACITY_S,
    LEAST_PAUSE_S,
    finding_capacity,
    scenario_of,
    suite_at,
    with_rates,
    without_load,
)
from tests.checkout import CATALOG

SUBJECTS = ("a/jvm/pg", "b/jvm/pg")


def fruits(suite: str, scale: float = 1.0) -> Scenario:
    _, spec = CATALOG.suite(suite)
    return scenario_of("fruits", CATALOG.scenario("fruits"), suite_at(spec, scale), scale)


@pytest.mark.parametrize("scale", [1.0, 0.1])
@pytest.mark.parametrize("suite", ["nightly", "compare"])
def test_the_warm_up_is_that_of_the_trials(suite: str, scale: float) -> None:
    scenario = fruits(suite, scale)
    (own,) = (phase for phase in scenario.phases if phase.kind == "warm-up")
    start, probe, warm_up, closed, after = finding_capacity(scenario).phases
    assert [phase.kind for phase in (start, probe, closed, after)] == ["start", "probe", "closed", "after"]
    assert warm_up == own.model_copy(update={"pause_s": min(own.pause_s, LEAST_PAUSE_S)})
    assert (closed.duration_s, closed.connections) == (CAPACITY_S, own.connections)


def test_shares_alone_are_rehearsed_with_the_clients_of_open_load() -> None:
    scenario = fruits("nightly")
    alone = scenario.model_copy(update={"phases": tuple(phase for phase in scenario.phases if not phase.connections)})
    assert {phase.connections for phase in finding_capacity(alone).phases if phase.duration_s} == {50}


def test_a_start_alone_has_no_load() -> None:
    assert [phase.kind for phase in without_load(fruits("nightly")).phases] == ["start", "probe", "after"]


def test_capacities_that_hardly_differ_yield_one_rate_near_their_share() -> None:
    scenario = fruits("nightly")

    def rates(capacity_per_s: float) -> list[tuple[float, float]]:
        phases = with_rates(scenario, capacity_per_s).phases
        return [(phase.rate_per_s or 0, phase.rate_share) for phase in phases if phase.rate_share is not None]

    capacities = [200 * 1.001**step for step in range(6000)]
    for capacity in capacities:
        for rate, share in rates(capacity):
            assert rate / (capacity * share) == pytest.approx(1, rel=0.03)
    # 48 rates in each of 2.6 decades, for two shares: far fewer than capacities.
    assert len({tuple(rates(capacity)) for capacity in capacities}) <= 2 * 2.7 * 48
    assert all(rate == 1 for rate, _ in rates(0.01))


def test_the_time_of_a_capacity_is_counted_for_all_but_the_control() -> None:
    waiting = fruits("nightly")
    rated = with_rates(waiting, 1000.0)
    fixed = rated.model_copy(
        update={"phases": tuple(phase.model_copy(update={"rate_share": None}) for phase in rated.phases)}
    )
    trials = order_trials(SUBJECTS, [waiting.id], "control/jvm/pg", 3, 1)
    more_s = session_s(trials, [waiting]) - session_s(trials, [fixed])
    assert more_s == pytest.approx(preparation_s(trials, [waiting]) - preparation_s(trials, [fixed]))
    assert more_s == pytest.approx(2 * trial_s(finding_capacity(waiting)))
    assert capacity_s(fixed) == 0.0
