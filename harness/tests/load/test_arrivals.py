"""The requests of real k6 one by one: writes arrive evenly among reads, and each key is given once."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from plumbline.measuring.load.k6 import K6
from plumbline.measuring.load.params import Target
from plumbline.model.evidence import LoadResult
from plumbline.model.plan import Phase, Scenario
from tests.load.recorder import Request, Response, recorder
from tests.processes import PlainSpawner

pytestmark = pytest.mark.slow

EVERY = 20
MIXED = "GET /fruits/{name} (5% POST)"


@pytest.fixture
def send(
    k6_binary: Path, scenarios: Path, spawner: PlainSpawner, tmp_path: Path, free_port: int
) -> Callable[..., tuple[LoadResult, list[Request]]]:
    """Send a phase to a server that makes what is posted, by as many processes as are wanted."""

    def run(
        phase: Phase, script: str, operation: str, *, processes: int = 1, requests: int | None = None
    ) -> tuple[LoadResult, list[Request]]:
        scenario = Scenario(
            name="x", version=1, workload="x", script=script, operation=operation, uses_database=False, phases=()
        )
        most = int((phase.rate_per_s or 0) / processes) or 1
        k6 = K6(k6_binary, scenarios, processes, spawner, timeout_s=3.0, most_a_process=most)
        with recorder(made) as (url, arrived):
            target = Target(base_url=url, name="Apple", golden=None)
            load = k6.run(phase, scenario, target, folder=tmp_path, rest_port=free_port, requests=requests).result
        assert len(spawner.calls) == processes
        # A busy machine drops arrivals, which are no requests.
        assert (load.requests, load.failed, load.messages) == (len(arrived), 0, ())
        return load, arrived

    return run


def made(request: Request) -> Response:
    """A fruit is created, a zip code is found or made."""
    return Response(201 if (request.method, request.path) == ("POST", "/fruits") else 200, request.body or b"{}")


def opened(rate: int, seconds: int) -> Phase:
    return Phase(kind="open", name=f"open@{rate}", duration_s=seconds, rate_per_s=rate)


def test_writes_lie_evenly_among_the_reads_of_open_load(send: Callable[..., tuple[LoadResult, list[Request]]]) -> None:
    load, arrived = send(opened(200, 3), "fruits.ts", MIXED)
    assert load.writes == load.requests // EVERY >= 5
    hundreds = [arrived[start : start + 100] for start in range(0, len(arrived) - 99, 100)]
    # Five each; requests that are under way at once may overtake each other.
    assert all(1 <= [request.method for request in hundred].count("POST") <= 9 for hundred in hundreds)


def test_a_short_open_phase_writes_its_share(send: Callable[..., tuple[LoadResult, list[Request]]]) -> None:
    load, _ = send(opened(100, 2), "fruits.ts", MIXED)
    assert load.writes == load.requests // EVERY > 0


def test_two_processes_write_the_share_of_one(send: Callable[..., tuple[LoadResult, list[Request]]]) -> None:
    load, _ = send(opened(200, 1), "fruits.ts", MIXED, processes=2)
    assert abs(load.writes - load.requests / EVERY) <= 1


def test_connections_of_closed_load_take_turns_at_writing(
    send: Callable[..., tuple[LoadResult, list[Request]]],
) -> None:
    """With half of twenty requests each, half of all connections have written."""
    phase = Phase(kind="closed", name="closed", duration_s=20, connections=EVERY)
    load, _ = send(phase, "fruits.ts", MIXED, requests=10 * EVERY)
    assert load.requests == 10 * EVERY
    assert 5 <= load.writes <= 15


@pytest.mark.parametrize(
    ("script", "operation", "key"),
    [("zipcode.ts", "POST /zipcode (fresh)", "zip"), ("fruits.ts", "POST /fruits", "name")],
)
def test_no_key_is_given_twice_by_two_processes(
    send: Callable[..., tuple[LoadResult, list[Request]]], script: str, operation: str, key: str
) -> None:
    _, arrived = send(opened(100, 2), script, operation, processes=2)
    keys = [json.loads(request.body)[key] for request in arrived]
    assert len(set(keys)) == len(keys) > 100
