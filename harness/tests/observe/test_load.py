from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from plumbline.machine.host.kernel import free_port
from plumbline.measuring.observe.samplers import load
from plumbline.measuring.observe.samplers.base import Tick
from plumbline.measuring.observe.samplers.load import LoadSampler
from plumbline.measuring.observe.targets import Roots, Targets
from plumbline.measuring.place.interface import PlacedRole

Look = Callable[[Targets], Tick]


class FakeK6(ThreadingHTTPServer):
    """Answers as k6's REST API does: 404 before the first request, then the metric."""

    count: int | None = None
    body: bytes | None = None
    asked: list[str]
    daemon_threads = True

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.server_address[1]}"


class Answer(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        server = self.server
        assert isinstance(server, FakeK6)
        server.asked.append(self.path)
        sample = {"data": {"attributes": {"type": "counter", "sample": {"count": server.count, "rate": 1.5}}}}
        body = server.body if server.body is not None else json.dumps(sample).encode()
        self.send_response(404 if server.count is None else 200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def k6(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeK6]:
    # On a busy machine the thread below may get no CPU for a while.
    monkeypatch.setattr(load, "ANSWER_TIMEOUT_S", 30.0)
    server = FakeK6(("127.0.0.1", 0), Answer)
    server.asked = []
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def test_the_count_runs_on_over_several_k6(roots: Roots, targets: Targets, look: Look, k6: FakeK6) -> None:
    sampler = LoadSampler(roots)

    def requests(pid: int | None) -> float | None:
        pids: dict[PlacedRole, tuple[int, ...]] = {} if pid is None else {"load": (pid,)}
        tick = look(replace(targets, pids=pids, load_addresses=() if pid is None else (k6.address,)))
        return sampler.sample(tick)["load.requests"]

    assert requests(None) == 0
    assert requests(71) == 0
    k6.count = 1200
    assert requests(71) == 1200
    assert requests(None) == 1200
    k6.count = 30
    assert requests(72) == 1230
    assert set(k6.asked) == {"/v1/metrics/http_reqs"}
    sampler.close()


def test_the_counts_of_several_k6_at_once_are_one(roots: Roots, targets: Targets, look: Look, k6: FakeK6) -> None:
    sampler = LoadSampler(roots)
    two_processes = replace(targets, pids={"load": (71, 72)}, load_addresses=(k6.address, k6.address))
    k6.count = 300
    assert sampler.sample(look(two_processes)) == {"load.requests": 600}
    one_gone = replace(two_processes, load_addresses=(k6.address, "127.0.0.1:1"))
    assert sampler.sample(look(one_gone)) == {"load.requests": None}
    k6.count = 400
    assert sampler.sample(look(two_processes)) == {"load.requests": 800}
    assert sampler.sample(look(replace(targets, pids={}, load_addresses=()))) == {"load.requests": 800}
    sampler.close()


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b'{"data": {}}', b'{"data": {"attributes": null}}'])
def test_an_answer_that_is_none_leaves_a_hole(
    body: bytes, roots: Roots, targets: Targets, look: Look, k6: FakeK6
) -> None:
    sampler = LoadSampler(roots)
    tick = look(replace(targets, pids={"load": (71,)}, load_addresses=(k6.address,)))
    k6.count, k6.body = 5, body
    assert sampler.sample(tick) == {"load.requests": None}
    k6.body = None
    assert sampler.sample(tick) == {"load.requests": 5}
    sampler.close()


def test_a_k6_that_is_not_there_leaves_a_hole(roots: Roots, targets: Targets, look: Look) -> None:
    tick = look(replace(targets, pids={"load": (71,)}, load_addresses=(f"127.0.0.1:{free_port()}",)))
    assert LoadSampler(roots).sample(tick) == {"load.requests": None}


def test_batches_of_a_program_are_counted_in_its_file(
    tmp_path: Path, look: Look, roots: Roots, targets: Targets
) -> None:
    results = tmp_path / "results.jsonl"
    aimed = replace(targets, results=results)
    sampler = LoadSampler(roots)
    assert sampler.sample(look(aimed)) == {"load.requests": None}
    results.write_text('{"pid":7}\n{"query":"one","count":2}\n{"query":"one","cou')
    assert sampler.sample(look(aimed)) == {"load.requests": 1}
    with results.open("a") as file:
        file.write('nt":2}\n{"batches":2,"millis":9}\n')
    assert sampler.sample(look(aimed)) == {"load.requests": 2}
    assert sampler.sample(look(aimed)) == {"load.requests": 2}


def test_a_pipe_in_place_of_the_batches_is_not_waited_for(
    tmp_path: Path, look: Look, roots: Roots, targets: Targets
) -> None:
    os.mkfifo(tmp_path / "results.jsonl")
    aimed = replace(targets, results=tmp_path / "results.jsonl")
    assert LoadSampler(roots).sample(look(aimed)) == {"load.requests": None}
