"""One phase by several k6 processes: cut without loss, begun together, merged into the result of a single process."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.measuring.load.k6 import K6
from plumbline.measuring.load.params import LoadParams, Target
from plumbline.measuring.load.segments import processes_of, segment_options, start_all
from plumbline.measuring.load.summary import LoadFailed, LoadOutcome, cycles_merged, merged
from plumbline.model.evidence import QUANTILES, LoadResult
from plumbline.model.plan import OPEN_VUS, Phase, Scenario
from tests.load.server import Server
from tests.processes import PlainSpawner

pytestmark = pytest.mark.slow

Serve = Callable[[str, str], Server]

SCENARIO = Scenario(
    name="x",
    version=1,
    workload="x",
    script="fruits.ts",
    operation="GET /fruits",
    uses_database=False,
    phases=(),
)


def opened(rate: int) -> Phase:
    return Phase(kind="open", name=f"open@{rate}", duration_s=2, rate_per_s=rate)


def result(requests: int, mean: float, **changes: object) -> LoadResult:
    plain = LoadResult(
        phase="open@100",
        executor="constant-arrival-rate",
        rate_per_s=100,
        window_s=2.0,
        requests=requests,
        completed=requests,
        failed=0,
        dropped=1,
        checks_passed=requests,
        checks_failed=0,
        latency_mean_ms=mean,
        latency_min_ms=mean / 2,
        latency_max_ms=mean * 2,
        latency_ms=tuple(mean / 2 + quantile * mean for quantile in QUANTILES),
        lag_p99_ms=mean,
        lag_max_ms=mean,
        statuses={"2xx": requests},
    )
    return plain.model_copy(update=changes)


@pytest.mark.parametrize(
    ("rate", "cpus", "count"), [(100, 8, 1), (20_000, 8, 1), (20_001, 8, 2), (80_000, 8, 4), (80_000, 2, 2)]
)
def test_how_many_processes_a_rate_takes(rate: int, cpus: int, count: int) -> None:
    assert processes_of(opened(rate), cpus) == count


def test_closed_load_is_one_process() -> None:
    assert processes_of(Phase(kind="closed", name="closed", duration_s=2, connections=500), 8) == 1


@given(st.integers(2, 16))
def test_segments_cover_the_whole_without_a_gap(count: int) -> None:
    ends = [segment_options(index, count)[0].removeprefix("--execution-segment=").split(":") for index in range(count)]
    assert ends[0][0] == "0" and ends[-1][1] == "1"
    assert all(segment[1] == following[0] for segment, following in pairwise(ends))
    assert len({segment_options(index, count)[1] for index in range(count)}) == 1
    assert segment_options(0, 1) == []


def test_counts_are_sums_and_times_a_mixture() -> None:
    first, second = (
        LoadOutcome(result=result(300, 1.0, reused=0.99), window=(1000, 3000)),
        LoadOutcome(result=result(100, 5.0, messages=("late",), failed=2, reused=0.5), window=(1010, 3010)),
    )
    whole = merged([first, second])
    assert (whole.result.requests, whole.result.dropped, whole.result.failed) == (400, 2, 2)
    assert (whole.result.latency_mean_ms, whole.result.reused) == pytest.approx((2.0, (3 * 0.99 + 0.5) / 4))
    assert (whole.result.latency_min_ms, whole.result.latency_max_ms) == (0.5, 10.0)
    assert whole.result.lag_p99_ms == 5.0 and whole.result.messages == ("late",)
    assert whole.window == (1000, 3010) and whole.result.began_ms == (0, 10)
    # Three quarters of all requests are the quick ones, which end at 1.5 ms.
    quick = [value for quantile, value in zip(QUANTILES, whole.result.latency_ms, strict=True) if quantile < 0.74]
    assert max(quick) < 2.5 and list(whole.result.latency_ms) == sorted(whole.result.latency_ms)
    assert merged([first]) is first


def test_cycles_of_a_warm_up_are_one_phase_over_all_their_time() -> None:
    cycles = [result(300, 1.0, phase="warm-up.1"), result(100, 5.0, phase="warm-up.2", failed=2)]
    whole = cycles_merged(cycles, "warm-up")
    assert (whole.phase, whole.requests, whole.failed) == ("warm-up", 400, 2)
    assert whole.window_s == cycles[0].window_s + cycles[1].window_s


def test_all_are_asked_at_once_before_all_are_started_at_once() -> None:
    addresses, asked = ("one", "two", "three"), list[tuple[str, str]]()
    at_once = Barrier(len(addresses), timeout=60)

    def ask(address: str, method: str, body: str | None) -> Any:
        # The first requests find out one after another who is ready.
        if len(asked) >= len(addresses):
            at_once.wait()
        asked.append((method, address))
        return {"data": {"attributes": {"status": 4, "paused": False}}}

    assert start_all(addresses, 1, lambda: None, ask) is None
    assert [method for method, _ in asked] == ["GET"] * 6 + ["PATCH"] * 3
    assert all({address for _, address in asked[first : first + 3]} == set(addresses) for first in (0, 3, 6))


def test_two_processes_send_what_one_would(
    k6_binary: Path, scenarios: Path, spawner: PlainSpawner, serve: Serve, tmp_path: Path, free_port: int
) -> None:
    k6 = K6(k6_binary, scenarios, 2, spawner, timeout_s=3.0, most_a_process=100)
    server = serve("ok", "[]")
    starts: list[tuple[tuple[int, ...], tuple[str, ...]]] = []
    outcome = k6.run(
        opened(200),
        SCENARIO,
        Target(base_url=server.url, name="x", golden="[]"),
        folder=tmp_path,
        rest_port=free_port,
        on_started=lambda pids, addresses: starts.append((pids, addresses)),
    )
    load = outcome.result
    assert len(spawner.calls) == 2
    assert len(starts) == 1 and len(set(starts[0][0])) == len(set(starts[0][1])) == 2
    assert load.requests == server.stop()
    # Each process ends its window by its own clock: on a busy machine a few arrivals more or fewer. Sent twice: 800.
    assert 380 <= load.requests + load.dropped <= 420 and load.failed == load.checks_failed == 0
    assert load.lag_p99_ms is not None and len(load.latency_ms) == len(QUANTILES)
    # Both processes began together: the two windows lie within the time of a few messages.
    assert outcome.window[1] - outcome.window[0] < 2000 + 500


def test_two_processes_compare_as_many_answers_as_one_would(
    k6_binary: Path, scenarios: Path, spawner: PlainSpawner, serve: Serve, tmp_path: Path, free_port: int
) -> None:
    k6 = K6(
        k6_binary,
        scenarios,
        2,
        spawner,
        timeout_s=3.0,
        check_every=10**9,
        compared_min=200,
        most_a_process=100,
    )
    target = Target(base_url=serve("ok", "[]").url, name="x", golden="[]")
    outcome = k6.run(opened(200), SCENARIO, target, folder=tmp_path, rest_port=free_port)
    # Of 400 by chance 220, give or take ten; half as many if each process took half of its own share.
    assert 170 <= outcome.result.checks_passed <= 270


def test_one_that_fails_ends_the_others(
    k6_binary: Path, scenarios: Path, spawner: PlainSpawner, serve: Serve, tmp_path: Path, free_port: int
) -> None:
    k6 = K6(k6_binary, scenarios, 2, spawner, timeout_s=3.0, most_a_process=10)
    wrong = SCENARIO.model_copy(update={"operation": "GET /nothing"})
    with pytest.raises(LoadFailed):
        k6.run(
            opened(20),
            wrong,
            Target(base_url=serve("ok", "[]").url, name="x", golden=None),
            folder=tmp_path,
            rest_port=free_port,
            stop=lambda: next(
                (f"k6 ended: {process.poll()}" for process in spawner.started if process.poll() is not None), None
            ),
        )
    assert all(process.poll() is not None for process in spawner.started)
    # Each has the clients of a load of its own, and k6 gives it its part of those of all.
    (params, other) = (LoadParams.model_validate_json(file.read_text()) for file in tmp_path.glob("*.params.json"))
    assert params.vus == other.vus == 2 * OPEN_VUS[0]
