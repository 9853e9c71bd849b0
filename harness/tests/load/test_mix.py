"""A mix of use cases by real k6: each arrives at its own rate, sends its requests in order and has its own times."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from plumbline.measuring.load.k6 import K6
from plumbline.measuring.load.params import Target, params_of
from plumbline.measuring.load.summary import LoadFailed
from plumbline.model.evidence import PART_QUANTILES, LoadResult
from plumbline.model.plan import Phase, Scenario
from plumbline.subjects.plan.phases import scenario_of
from plumbline.verdicts.judge.rules.r16_same_answers import FEW_CLIENTS, OPENED_MAX
from tests.checkout import CATALOG
from tests.load.recorder import Request, Response, recorder
from tests.load.server import Server
from tests.load.shop import Shop
from tests.processes import PlainSpawner

pytestmark = pytest.mark.slow

Serve = Callable[[str, str], Server]

ADD_ITEM = "POST /orders/{orderId}/items/{itemId}"
ANSWERED = ("POST /orders", "GET /orders/{orderId}", "PUT /orders/{orderId}", ADD_ITEM)
# How long k6 waits for requests after the window: as long as one may take, and a second.
K6_WAITS_S = 4.0
OPEN = Phase(kind="open", name="open@x10", duration_s=3, rate_per_s=166.6667, multiplier=10)


def scenario(scale: float = 1.0) -> Scenario:
    name = "orders-mix"
    return scenario_of(name, CATALOG.scenario(name), CATALOG.bench.suites["smoke"], scale)


@pytest.fixture
def k6(k6_binary: Path, scenarios: Path, spawner: PlainSpawner, cpus: int) -> K6:
    return K6(binary=k6_binary, scenarios=scenarios, cpus=cpus, spawner=spawner, timeout_s=K6_WAITS_S - 1)


def requests_of(load: LoadResult) -> dict[tuple[str, str | None], int]:
    return {(part.use_case, part.request): part.requests for part in load.parts}


def test_the_mix_of_the_study_is_a_thousand_requests_a_minute() -> None:
    mix = scenario()
    assert mix.requests_per_minute == 1000
    assert sum(use_case.arrivals_per_minute for use_case in mix.use_cases) == 445
    rates = {phase.name: phase.rate_per_s for phase in mix.phases if phase.kind == "open"}
    assert rates == {"open@x1": 16.6667, "open@x10": 166.6667, "open@x100": 1666.6667}
    assert not mix.of_control.use_cases and mix.of_control.phases == mix.phases


def test_each_use_case_has_the_visitors_it_needs() -> None:
    params = params_of(OPEN, scenario(), Target(base_url="http://x", name="", golden=None), Path("summary.json"))
    rates_and_vus = {use_case.name: (use_case.arrivals_per_minute, use_case.vus) for use_case in params.use_cases}
    assert rates_and_vus["order"] == (3000, 25)
    assert rates_and_vus["unwanted-items"] == (200, 5)


def test_visitors_beyond_those_that_are_counted_open_few_connections() -> None:
    target, extra = Target(base_url="http://x", name="", golden=None), {}
    for phase in (phase for phase in scenario().phases if phase.kind == "open"):
        params = params_of(phase, scenario(), target, Path("summary.json"))
        vus = sum(use_case.vus for use_case in params.use_cases)
        beyond = max(0, vus - max(FEW_CLIENTS, params.vus))
        extra[phase.name] = (vus, beyond / (params.rate_per_s * params.duration_s))
    assert {name: vus for name, (vus, _) in extra.items()} == {"open@x1": 35, "open@x10": 250, "open@x100": 1501}
    assert 0 < max(share for _, share in extra.values()) < 0.0051 < OPENED_MAX


def test_arrivals_requests_and_times_by_use_case(k6: K6, tmp_path: Path, free_port: int) -> None:
    with recorder(Shop()) as (url, arrived):
        target = Target(base_url=url, name="", golden=None)
        load = k6.run(OPEN, scenario(), target, folder=tmp_path, rest_port=free_port).result
    assert load.requests == len(arrived)
    assert load.failed == load.timeouts == 0 and load.messages == () and load.dropped < 60
    counts = requests_of(load)
    # 3 s at ten times 300, 50, 50, 25 and 20 visitors a minute; one of each may fall on the edge, and a busy machine
    # drops some.
    for name, visitors in (("order", 150), ("rescind", 25), ("many-items", 12.5), ("unwanted-items", 10)):
        assert abs(counts[name, "POST /orders"] - visitors) <= 1.5 + load.dropped, name
        (use_case,) = (candidate for candidate in scenario().use_cases if candidate.name == name)
        assert counts[name, None] == counts[name, "POST /orders"] * len(use_case.requests)
    assert counts["many-items", ADD_ITEM] == 3 * counts["many-items", "POST /orders"]
    assert load.requests == sum(count for (_, request), count in counts.items() if request is None)
    assert load.writes == (
        3 * sum(count for (_, request), count in counts.items() if request == "POST /orders")
        + sum(count for (_, request), count in counts.items() if request == ADD_ITEM)
        - 3 * counts["rescind", "DELETE /orders/{orderId}"]
        - counts["unwanted-items", "DELETE /orders/{orderId}/items/{itemId}"]
    )
    # Every answer with a body was looked at.
    assert load.checks_passed == sum(n for (_, request), n in counts.items() if request in ANSWERED)
    assert load.checks_failed == 0
    for part in load.parts:
        assert len(part.latency_ms) == len(PART_QUANTILES)
        assert list(part.latency_ms) == sorted(part.latency_ms)
        assert 0 < part.latency_mean_ms <= part.latency_max_ms
    assert load.lag_p99_ms is not None


@pytest.mark.parametrize("mixed_up", ANSWERED)
def test_an_answer_about_the_order_of_another_visitor_is_wrong(
    k6: K6, tmp_path: Path, free_port: int, mixed_up: str
) -> None:
    with recorder(Shop(mixed_up)) as (url, _):
        target = Target(base_url=url, name="", golden=None)
        load = k6.run(OPEN, scenario(), target, folder=tmp_path, rest_port=free_port).result
    wrong = sum(count for (_, request), count in requests_of(load).items() if request == mixed_up)
    # The first order of all has none before it.
    assert wrong - 1 <= load.checks_failed <= wrong and wrong > 10
    assert any(message.startswith(f"wrong answer to {mixed_up}: ") for message in load.messages)
    assert load.failed == 0


def test_closed_load_takes_use_cases_as_often_as_they_arrive(k6: K6, tmp_path: Path, free_port: int) -> None:
    phase = Phase(kind="warm-up", name="warm-up", duration_s=2, connections=5)
    with recorder(Shop()) as (url, arrived):
        target = Target(base_url=url, name="", golden=None)
        load = k6.run(phase, scenario(), target, folder=tmp_path, rest_port=free_port).result
    assert load.requests == len(arrived)
    assert load.checks_failed == 0
    counts = requests_of(load)
    everyone = sum(count for (_, request), count in counts.items() if request == "POST /orders")
    assert counts["order", "POST /orders"] / everyone == pytest.approx(300 / 445, abs=0.05)
    assert counts["unwanted-items", "POST /orders"] / everyone == pytest.approx(20 / 445, abs=0.02)


def test_who_fails_sends_no_further_request(k6: K6, serve: Serve, tmp_path: Path, free_port: int) -> None:
    server = serve("unavailable", "")
    target = Target(base_url=server.url, name="", golden=None)
    load = k6.run(OPEN, scenario(), target, folder=tmp_path, rest_port=free_port).result
    assert load.failed == load.requests == server.stop()
    assert {request for _, request in requests_of(load)} == {None, "POST /orders"}


def test_every_request_is_counted_of_visits_that_the_end_of_the_load_cuts_short(
    k6: K6, tmp_path: Path, free_port: int
) -> None:
    shop = Shop()

    def slow(request: Request) -> Response:
        time.sleep(K6_WAITS_S / 2.5)
        return shop(request)

    with recorder(slow) as (url, arrived):
        target = Target(base_url=url, name="", golden=None)
        load = k6.run(OPEN, scenario(), target, folder=tmp_path, rest_port=free_port).result
    assert load.requests == len(arrived) and load.failed == 0
    counts = requests_of(load)
    assert counts["unwanted-items", None] < 5 * counts["unwanted-items", "POST /orders"]


def test_an_unknown_request_is_refused(k6: K6, serve: Serve, tmp_path: Path, free_port: int) -> None:
    use_case = scenario().use_cases[0].model_copy(update={"requests": ("PATCH /orders",)})
    wrong = scenario().model_copy(update={"use_cases": (use_case,)})
    target = Target(base_url=serve("ok", "").url, name="", golden=None)
    with pytest.raises(LoadFailed, match="Request 'PATCH /orders' is none of"):
        k6.run(OPEN, wrong, target, folder=tmp_path, rest_port=free_port)
