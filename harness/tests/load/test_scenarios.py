"""Real k6, real scenarios, short runs against a server that counts: both sides must count the same."""

from __future__ import annotations

import json
import time
import urllib.request
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from plumbline.measuring.load.k6 import K6
from plumbline.measuring.load.params import Target
from plumbline.measuring.load.segments import ask_k6
from plumbline.measuring.load.summary import LoadFailed
from plumbline.model.evidence import QUANTILES
from plumbline.model.plan import Phase, Scenario
from plumbline.verdicts.contract.endpoint import Endpoint, get_status
from plumbline.verdicts.contract.probes import ProbeSpec, send_probes
from tests.load.recorder import Response, recorder
from tests.load.server import Server
from tests.processes import PlainSpawner

pytestmark = pytest.mark.slow

Serve = Callable[[str, str], Server]

CONNECTIONS = 10
CLOSED = Phase(kind="closed", name="closed", duration_s=1, connections=CONNECTIONS)
# For a load that ends by its count.
LONGEST = CLOSED.model_copy(update={"duration_s": 60.0})
OPEN = Phase(kind="open", name="open@400", duration_s=1, rate_per_s=400)
OPERATIONS = [
    ("fruits.ts", "GET /fruits"),
    ("fruits.ts", "GET /fruits/{name}"),
    ("hello.ts", "GET /hello/{name}"),
    ("hello.ts", "GET /split/{name}"),
    ("hello.ts", "GET /sleep"),
    ("hello.ts", "GET /sleep-async"),
    ("zipcode.ts", "GET /zipcode/{zip}"),
    ("zipcode.ts", "POST /zipcode"),
    ("zipcode.ts", "POST /zipcode (fresh)"),
    ("companies.ts", "GET /companies/{id}"),
    ("orders.ts", "GET /orders/{orderId}"),
    ("companies.ts", "GET /companies?limit=100"),
]


def scenario(script: str = "fruits.ts", operation: str = "GET /fruits") -> Scenario:
    return Scenario(
        name="x",
        version=1,
        workload="x",
        script=script,
        operation=operation,
        uses_database=False,
        phases=(),
    )


def target(server: Server, golden: str | None = "[]") -> Target:
    return Target(base_url=server.url, name="Blood orange", golden=golden)


@pytest.fixture
def k6(k6_binary: Path, scenarios: Path, spawner: PlainSpawner, cpus: int) -> K6:
    return K6(binary=k6_binary, scenarios=scenarios, cpus=cpus, spawner=spawner, timeout_s=3.0)


@pytest.mark.parametrize(
    ("script", "operation", "method", "path", "request_body"),
    [
        ("fruits.ts", "GET /fruits", "GET", "/fruits", None),
        ("zipcode.ts", "POST /zipcode", "POST", "/zipcode", '{"zip":"00501"}'),
    ],
)
def test_the_harness_asks_by_the_head_of_k6(
    k6: K6,
    tmp_path: Path,
    free_port: int,
    script: str,
    operation: str,
    method: str,
    path: str,
    request_body: str | None,
) -> None:
    """Else a program could answer the probes well, and the load from memory."""
    row = {"part": "read", "status": (200,), "media_type": None}
    probe = ProbeSpec.model_validate(
        {**row, "name": "x", "workload": "x", "method": method, "path": path, "request": request_body}
    )
    with recorder(lambda request: Response(200, b"[]")) as (url, arrived):
        k6.run(
            CLOSED.model_copy(update={"connections": 1}),
            scenario(script, operation),
            Target(base_url=url, name="x", golden=None),
            folder=tmp_path,
            rest_port=free_port,
            requests=1,
        )
        endpoint = Endpoint(int(url.rpartition(":")[2]))
        send_probes(endpoint, [probe])
        assert get_status(endpoint, path, end_s=time.monotonic() + 60, alive=lambda: True) == 200
    loaded, probed, first = (
        [name if name == "Content-Length" else (name, value) for name, value in request.fields] for request in arrived
    )
    assert loaded == probed
    assert first == loaded[:2]


def test_who_reaches_k6_over_the_loopback_ends_the_phase_and_cant_pause_it(
    k6: K6, serve: Serve, tmp_path: Path, free_port: int
) -> None:
    """An application shares the loopback with k6; a pause while it collects garbage would hide what it takes."""
    answers: list[dict[str, Any]] = []

    def meddle(address: str) -> None:
        while not _attributes(address).get("running"):
            time.sleep(0.05)
        for change in ({"paused": True}, {"stopped": True}):
            request = {"data": {"type": "status", "id": "default", "attributes": change}}
            answers.append(ask_k6(address, "PATCH", json.dumps(request)))

    def started(_: tuple[int, ...], addresses: tuple[str, ...]) -> None:
        threads.submit(meddle, addresses[0])

    longest = OPEN.model_copy(update={"duration_s": 60.0})
    with ThreadPoolExecutor(1) as threads, pytest.raises(LoadFailed, match=f"k6 died in the phase {OPEN.name}"):
        k6.run(
            longest,
            scenario(*OPERATIONS[0]),
            target(serve("ok", "[]")),
            folder=tmp_path,
            rest_port=free_port,
            on_started=started,
        )
    paused, stopped = answers
    assert "doesn't support pause" in paused["errors"][0]["detail"]
    assert stopped["data"]["attributes"]["stopped"] is True


def _attributes(address: str) -> dict[str, Any]:
    try:
        attributes: dict[str, Any] = ask_k6(address, "GET", None)["data"]["attributes"]
    except OSError:
        return {}
    return attributes


def test_a_load_by_count_sends_exactly_so_many_requests(k6: K6, serve: Serve, tmp_path: Path, free_port: int) -> None:
    server = serve("ok", "[]")
    load = k6.run(
        LONGEST, scenario(*OPERATIONS[0]), target(server), folder=tmp_path, rest_port=free_port, requests=1234
    ).result
    assert load.requests == server.stop() == 1234
    assert load.failed == load.checks_failed == 0


@pytest.mark.parametrize(("script", "operation"), OPERATIONS)
def test_closed_load_counts_what_the_server_counted(
    k6: K6, serve: Serve, tmp_path: Path, free_port: int, script: str, operation: str
) -> None:
    server = serve("ok", "[]")
    loaded = scenario(script, operation)
    outcome = k6.run(CLOSED, loaded, target(server), folder=tmp_path, rest_port=free_port)
    load = outcome.result
    assert load.requests == server.stop() > 100
    assert load.failed == load.checks_failed == load.dropped == load.timeouts == load.connect_errors == 0
    assert load.checks_passed > 0
    assert load.statuses == {"2xx": load.requests}
    # Late are at most the answers in flight at the end, and a millisecond's worth of them.
    assert load.requests * 0.95 - 10 <= load.completed <= load.requests
    assert len(load.latency_ms) == len(QUANTILES)
    assert list(load.latency_ms) == sorted(load.latency_ms)
    assert load.latency_min_ms is not None and load.latency_max_ms is not None
    assert load.latency_min_ms <= load.latency_ms[0] and load.latency_ms[-1] <= load.latency_max_ms
    assert outcome.window[1] - outcome.window[0] == 1000
    assert load.lag_p99_ms is None
    assert load.messages == ()


@pytest.mark.parametrize(("behaviour", "least", "most"), [("ok", 0.98, 1.0), ("tenth-closes", 0.85, 0.9)])
def test_the_share_of_requests_on_a_connection_that_was_open(
    k6: K6, serve: Serve, tmp_path: Path, free_port: int, behaviour: str, least: float, most: float
) -> None:
    server = serve(behaviour, "[]")
    load = k6.run(LONGEST, scenario(), target(server), folder=tmp_path, rest_port=free_port, requests=2000).result
    assert load.failed == 0 and load.requests == 2000
    assert load.reused is not None and least <= load.reused <= most


def test_open_load_arrives_at_its_rate_and_tells_its_lag(k6: K6, serve: Serve, tmp_path: Path, free_port: int) -> None:
    server = serve("ok", "[]")
    load = k6.run(OPEN, scenario(), target(server), folder=tmp_path, rest_port=free_port).result
    assert load.requests == server.stop()
    # On a busy machine a few arrivals more or fewer.
    assert 380 <= load.requests + load.dropped <= 420
    assert load.lag_p99_ms is not None and load.lag_max_ms is not None
    assert load.lag_p99_ms <= load.lag_max_ms


def test_cycles_of_warm_up_are_one_process_and_rest_between(
    k6: K6, serve: Serve, spawner: PlainSpawner, tmp_path: Path, free_port: int
) -> None:
    slept: list[float] = []
    warm = K6(k6.binary, k6.scenarios, k6.cpus, spawner, sleep=slept.append)
    phase = Phase(kind="warm-up", name="warm-up", duration_s=1, connections=5, cycles=2, pause_s=0.5)
    server = serve("slow", "[]")
    load = warm.run(phase, scenario(), target(server), folder=tmp_path, rest_port=free_port).result
    # Answers take 0.2 s: five connections make about 25 a cycle. Without the pause it would be 63 or more.
    assert load.requests == server.stop()
    assert 10 <= load.requests <= 60
    assert load.window_s == 3.0
    assert len(spawner.calls) == 1
    assert slept == [0.5]


def test_writes_are_counted(k6: K6, serve: Serve, tmp_path: Path, free_port: int) -> None:
    server = serve("ok", "{}")
    posts = scenario("fruits.ts", "POST /fruits")
    load = k6.run(CLOSED, posts, target(server, None), folder=tmp_path, rest_port=free_port).result
    assert load.writes == load.requests == server.stop()
    assert load.checks_passed == load.checks_failed == 0


def test_a_server_that_is_unavailable(k6: K6, serve: Serve, tmp_path: Path, free_port: int) -> None:
    server = serve("unavailable", "[]")
    load = k6.run(CLOSED, scenario(), target(server), folder=tmp_path, rest_port=free_port).result
    assert load.failed == load.requests == server.stop()
    assert load.completed == 0
    assert load.statuses == {"5xx": load.requests}
    assert load.messages == ("status 503, k6 error 1503",)


def test_a_server_that_hangs(k6: K6, serve: Serve, tmp_path: Path, free_port: int) -> None:
    server = serve("hang", "[]")
    load = k6.run(CLOSED, scenario(), target(server), folder=tmp_path, rest_port=free_port).result
    assert load.timeouts == load.failed == load.requests == server.stop() >= 10
    assert load.completed == 0


def test_a_server_that_closes_connections(k6: K6, serve: Serve, tmp_path: Path, free_port: int) -> None:
    server = serve("close", "[]")
    load = k6.run(CLOSED, scenario(), target(server), folder=tmp_path, rest_port=free_port).result
    assert load.connect_errors == load.failed == load.requests == server.stop() > 0


def test_a_server_that_answers_a_wrong_body(k6: K6, serve: Serve, tmp_path: Path, free_port: int) -> None:
    server = serve("ok", "[null]")
    load = k6.run(CLOSED, scenario(), target(server), folder=tmp_path, rest_port=free_port).result
    assert load.failed == load.checks_passed == 0
    assert load.checks_failed > 0
    assert load.wrong_length == load.requests
    # Each client reports the first fault that it meets.
    assert set(load.messages) <= {"wrong body: [null]", "wrong length: 6 bytes instead of 2"}
    assert "wrong body: [null]" in load.messages


def test_every_answer_of_another_length_is_counted(k6: K6, serve: Serve, tmp_path: Path, free_port: int) -> None:
    """Each tenth answer is a byte longer."""
    server = serve("uneven", "[]")
    load = k6.run(CLOSED, scenario(), target(server), folder=tmp_path, rest_port=free_port).result
    assert load.wrong_length == load.requests // 10 > 10
    assert load.messages[-1].startswith("wrong ")


def test_wrong_answers_that_do_not_say_their_length_are_found_by_comparing(
    k6: K6, serve: Serve, tmp_path: Path, free_port: int
) -> None:
    server = serve("chunked", "[null]")
    load = k6.run(CLOSED, scenario(), target(server), folder=tmp_path, rest_port=free_port).result
    assert load.checks_failed > load.checks_passed == 0
    assert load.wrong_length == 0
    assert set(load.messages) == {"wrong body: [null]"}


@pytest.mark.parametrize("behaviour", ["ok", "chunked"])
@pytest.mark.parametrize("phase", [CLOSED, OPEN], ids=lambda phase: phase.kind)
def test_as_many_bodies_are_compared_as_asked_for(
    k6: K6, serve: Serve, tmp_path: Path, free_port: int, phase: Phase, behaviour: str
) -> None:
    """All bodies are compared where there are fewer; whether answers say their length makes no difference."""
    server = serve(behaviour, "[]")
    sampling = replace(k6, compared_min=200)
    load = sampling.run(phase, scenario(), target(server), folder=tmp_path, rest_port=free_port).result
    # The bodies of dropped arrivals are missing, and the sample is random.
    assert 100 <= load.checks_passed <= 300 + load.requests / 50
    comparing_all = replace(k6, compared_min=10**9)
    load_of_all = comparing_all.run(phase, scenario(), target(server), folder=tmp_path, rest_port=free_port).result
    # Within its first millisecond nobody is behind yet.
    assert load_of_all.requests - 2 * 10 <= load_of_all.checks_passed <= load_of_all.requests


@pytest.mark.parametrize("behaviour", ["ok", "chunked"])
def test_an_answer_under_load_has_as_many_bytes_as_its_probe(
    k6: K6, serve: Serve, tmp_path: Path, free_port: int, behaviour: str
) -> None:
    """As the kernel counts them for the probe, and k6 for itself."""
    server = serve(behaviour, "[]")
    spec = ProbeSpec(name="x", workload="x", part="read", method="GET", path="/fruits", status=(200,), body=b"[]")
    probes = send_probes(Endpoint(int(server.url.rsplit(":", 1)[1])), [spec, spec])
    load = k6.run(CLOSED, scenario(), target(server), folder=tmp_path, rest_port=free_port).result
    assert [probe.problem for probe in probes] == [None, None]
    assert [probe.wire_bytes for probe in probes] == [load.received_bytes / load.requests] * 2


def test_answers_that_show_a_changed_row_are_right_and_counted(
    k6: K6, serve: Serve, tmp_path: Path, free_port: int
) -> None:
    server = serve("ok", "[1]")
    rewritten = Target(base_url=server.url, name="x", golden="[0]", changed="[1]")
    load = k6.run(OPEN, scenario(), rewritten, folder=tmp_path, rest_port=free_port).result
    assert load.fresh == load.checks_passed == load.requests
    assert load.checks_failed == load.wrong_length == 0


def test_without_a_golden_answer_nothing_is_held_against_it(
    k6: K6, serve: Serve, tmp_path: Path, free_port: int
) -> None:
    server = serve("uneven", "[]")
    load = k6.run(CLOSED, scenario(), target(server, None), folder=tmp_path, rest_port=free_port).result
    assert (load.wrong_length, load.fresh, load.checks_passed) == (None, None, 0)


BY_KEY = [
    ("zipcode.ts", "GET /zipcode/{zip}"),
    ("zipcode.ts", "POST /zipcode"),
    ("zipcode.ts", "POST /zipcode (fresh)"),
    ("companies.ts", "GET /companies/{id}"),
    ("orders.ts", "GET /orders/{orderId}"),
    ("orders.ts", "POST /orders"),
]


@pytest.mark.parametrize(("script", "operation"), BY_KEY)
def test_answers_that_differ_are_compared_with_what_was_asked(
    k6: K6, serve: Serve, tmp_path: Path, free_port: int, script: str, operation: str
) -> None:
    """First all answers are right, then one in ten is of another row, and then none is JSON."""
    by_key = scenario(script, operation)
    for behaviour, share in (("by-key", 0.0), ("by-key-bent", 0.1)):
        server = serve(behaviour, "")
        load = k6.run(CLOSED, by_key, target(server, None), folder=tmp_path, rest_port=free_port).result
        compared = load.checks_passed + load.checks_failed
        assert load.failed == 0 and compared > 100
        assert share * compared / 2 <= load.checks_failed <= share * compared * 2
    server = serve("ok", "no JSON")
    wrong = k6.run(CLOSED, by_key, target(server, None), folder=tmp_path, rest_port=free_port).result
    assert wrong.checks_failed > wrong.checks_passed == 0


def test_batches_tell_the_threads_that_took_their_rows(k6: K6, serve: Serve, tmp_path: Path, free_port: int) -> None:
    server = serve("ok", '{"rows":1000,"threads":3}')
    batch = scenario("companies.ts", "GET /benchmark?query=hundred&count=10")
    load = k6.run(CLOSED, batch, target(server, None), folder=tmp_path, rest_port=free_port).result
    assert load.batch_threads == 3.0
    assert load.checks_passed == load.requests > 0
    single = scenario("companies.ts", "GET /companies/{id}")
    load = k6.run(CLOSED, single, target(server, None), folder=tmp_path, rest_port=free_port).result
    assert load.batch_threads is None


def test_a_rate_too_high_for_the_vus_drops(k6: K6, serve: Serve, tmp_path: Path, free_port: int) -> None:
    server = serve("slow", "[]")
    phase = Phase(kind="open", name="open@19000", duration_s=1, rate_per_s=19_000)
    load = k6.run(phase, scenario(), target(server), folder=tmp_path, rest_port=free_port).result
    assert load.dropped > 0


def test_answers_that_all_take_a_while_have_vus_from_the_start(
    k6: K6, serve: Serve, tmp_path: Path, free_port: int
) -> None:
    """At 500 arrivals a second 100 requests are under way from the start: their VUs were made before it."""
    server = serve("slow", "[]")
    phase = Phase(kind="open", name="open", duration_s=2, rate_per_s=500)
    load = k6.run(phase, scenario(), target(server), folder=tmp_path, rest_port=free_port).result
    # A busy machine drops some; with VUs for half of those under way it would be every second arrival.
    assert load.dropped < 250 and load.requests + load.dropped >= 950


def test_the_running_count_stands_at_the_rest_address(k6: K6, serve: Serve, tmp_path: Path, free_port: int) -> None:
    counts: list[float] = []
    addresses: list[tuple[int, str]] = []

    def look() -> str | None:
        # Before the first request k6 has no such metric, and at its end it has no API any more.
        with suppress(OSError):
            url = f"http://{addresses[0][1]}/v1/metrics/http_reqs"
            with urllib.request.urlopen(url, timeout=1) as answer:
                counts.append(json.load(answer)["data"]["attributes"]["sample"]["count"])
        return None

    server = serve("ok", "[]")
    load = k6.run(
        CLOSED,
        scenario(),
        target(server),
        folder=tmp_path,
        rest_port=free_port,
        on_started=lambda pids, rest_addresses: addresses.append((pids[0], rest_addresses[0])),
        stop=look,
    ).result
    assert addresses[0][1] == f"127.0.0.1:{free_port}"
    assert counts == sorted(counts) and 0 < counts[-1] <= load.requests


def test_an_unknown_operation_is_a_refusal_of_the_script(k6: K6, serve: Serve, tmp_path: Path, free_port: int) -> None:
    server = serve("ok", "[]")
    unknown = scenario("hello.ts", "GET /fruits")
    with pytest.raises(LoadFailed, match=r"the script threw: .*'GET /fruits' is none of") as caught:
        k6.run(CLOSED, unknown, target(server), folder=tmp_path, rest_port=free_port)
    assert caught.value.why == "script"


def test_a_taken_rest_address_is_told(k6: K6, serve: Serve, tmp_path: Path) -> None:
    server = serve("ok", "[]")
    taken_port = int(server.url.rsplit(":", 1)[1])
    with pytest.raises(LoadFailed, match="its REST address was taken") as caught:
        k6.run(CLOSED, scenario(), target(server), folder=tmp_path, rest_port=taken_port)
    assert caught.value.why == "died"


def test_the_load_stops_when_told_to(
    k6: K6, serve: Serve, spawner: PlainSpawner, tmp_path: Path, free_port: int
) -> None:
    server = serve("ok", "[]")
    phase = Phase(kind="closed", name="closed", duration_s=60, connections=2)
    with pytest.raises(LoadFailed, match="The application died") as caught:
        k6.run(
            phase,
            scenario(),
            target(server),
            folder=tmp_path,
            rest_port=free_port,
            stop=lambda: "The application died.",
        )
    assert caught.value.why == "stopped"
    assert spawner.started[0].poll() is not None


def test_k6_that_is_killed_is_told(k6: K6, serve: Serve, spawner: PlainSpawner, tmp_path: Path, free_port: int) -> None:
    server = serve("ok", "[]")

    def kill() -> str | None:
        spawner.started[0].signal(9)
        return None

    with pytest.raises(LoadFailed, match=r"k6 died in the phase closed: signal 9") as caught:
        k6.run(CLOSED, scenario(), target(server), folder=tmp_path, rest_port=free_port, stop=kill)
    assert caught.value.why == "died"


@pytest.mark.parametrize(("count", "right"), [(5, True), (6, False)])
def test_a_batch_must_have_read_the_rows_it_was_asked_for(
    k6: K6, serve: Serve, tmp_path: Path, free_port: int, count: int, right: bool
) -> None:
    server = serve("ok", '{"rows":5}')
    loaded = scenario("companies.ts", f"GET /benchmark?query=one&count={count}")
    load = k6.run(CLOSED, loaded, target(server, None), folder=tmp_path, rest_port=free_port).result
    assert (load.checks_failed == 0) is right
    assert load.checks_passed + load.checks_failed == load.requests > 100


def test_every_twentieth_of_the_mix_writes(k6: K6, serve: Serve, tmp_path: Path, free_port: int) -> None:
    server = serve("ok", "[]")
    loaded = scenario("fruits.ts", "GET /fruits/{name} (5% POST)")
    load = k6.run(CLOSED, loaded, target(server, None), folder=tmp_path, rest_port=free_port).result
    assert load.failed == 0
    assert abs(load.writes - load.requests / 20) <= CONNECTIONS


def test_an_order_writes_itself_and_two_items(k6: K6, serve: Serve, tmp_path: Path, free_port: int) -> None:
    server = serve("ok", "{}")
    loaded = scenario("orders.ts", "POST /orders")
    load = k6.run(CLOSED, loaded, target(server, None), folder=tmp_path, rest_port=free_port).result
    assert load.failed == 0
    assert load.writes == 3 * load.requests > 0
