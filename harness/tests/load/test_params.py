"""The parameters that a scenario gets for each kind of phase."""

from __future__ import annotations

from pathlib import Path

import pytest

from plumbline.measuring.load.params import Target, params_of, quantile_name
from plumbline.model.errors import UsageError
from plumbline.model.evidence import QUANTILES
from plumbline.model.plan import Phase, Scenario

SCENARIO = Scenario(
    name="fruits",
    version=1,
    workload="fruits",
    script="fruits.ts",
    operation="GET /fruits",
    uses_database=True,
    phases=(),
)
TARGET = Target(base_url="http://127.0.0.1:18080", name="Apple", golden="[]")


def test_quantiles_have_the_names_k6_gives_them() -> None:
    names = [quantile_name(quantile) for quantile in QUANTILES]
    assert names[0] == "p(0)"
    assert names[50] == "p(50)"
    assert {"p(95)", "p(95.1)", "p(99)", "p(99.9)", "p(99.91)", "p(99.99)"} <= set(names)
    assert len(set(names)) == len(QUANTILES) == 154


def test_closed_load_holds_its_connections() -> None:
    phase = Phase(kind="closed", name="closed", duration_s=3, connections=100)
    params = params_of(phase, SCENARIO, TARGET, Path("/s.json"))
    assert (params.executor, params.vus, params.rate_per_s) == ("constant-vus", 100, 0)
    assert (params.operation, params.golden, params.duration_s) == ("GET /fruits", "[]", 3)


def test_cycles_of_warm_up_ramp_between_load_and_rest() -> None:
    phase = Phase(kind="warm-up", name="warm-up", duration_s=6, connections=20, cycles=2, pause_s=2)
    params = params_of(phase, SCENARIO, TARGET, Path("/s.json"))
    assert (params.executor, params.cycles, params.pause_s) == ("ramping-vus", 2, 2)


@pytest.mark.parametrize(("rate", "vus"), [(10, 20), (300, 300), (500, 500), (20_000, 1000)])
def test_open_load_has_vus_for_its_rate_within_bounds(rate: int, vus: int) -> None:
    phase = Phase(kind="open", name=f"open@{rate}", duration_s=40, rate_per_s=rate)
    params = params_of(phase, SCENARIO, TARGET, Path("/s.json"))
    assert (params.executor, params.vus) == ("constant-arrival-rate", vus)


@pytest.mark.parametrize(("duration_s", "vus"), [(3, 100), (10, 100), (20, 200), (60, 600), (300, 600)])
def test_a_short_load_has_fewer_vus_since_each_opens_a_connection(duration_s: int, vus: int) -> None:
    phase = Phase(kind="open", name="open@400", duration_s=duration_s, rate_per_s=400)
    assert params_of(phase, SCENARIO, TARGET, Path("/s.json")).vus == vus


def test_a_phase_without_connections_or_rate_is_refused() -> None:
    with pytest.raises(UsageError, match=r"phase 'closed' of fruits@1 has neither connections nor a rate"):
        params_of(Phase(kind="closed", name="closed", duration_s=3), SCENARIO, TARGET, Path("/s.json"))


def test_a_load_by_count_ends_by_count() -> None:
    phase = Phase(kind="closed", name="closed", duration_s=300, connections=20)
    params = params_of(phase, SCENARIO, TARGET, Path("/s.json"), requests=150_000)
    assert (params.executor, params.vus, params.iterations) == ("shared-iterations", 20, 150_000)
    assert params_of(phase, SCENARIO, TARGET, Path("/s.json")).iterations == 0
