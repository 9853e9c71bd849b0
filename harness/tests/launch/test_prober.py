from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Callable, Iterator

import pytest

from plumbline.measuring.launch import prober
from plumbline.measuring.launch.prober import ProbedStart, probe_start
from plumbline.model.errors import AnswerIsNo
from plumbline.verdicts.contract.endpoint import Endpoint, get_status, is_complete, status_of

REFUSES_S = 0.05
# So many polls come before the pool is full.
POLLS = 10

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
BUSY = b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n"
CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"


class SlowStart:
    """Refuses connections, then answers 503, then 200; keeps the path of each request, and its time."""

    def __init__(self, first: bytes = CHUNKED) -> None:
        self.asked: list[str] = []
        self.first = first
        self.ready_s = 0.0
        self._bound = socket.socket()
        self._bound.bind(("127.0.0.1", 0))
        self.port: int = self._bound.getsockname()[1]
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()

    def stop(self) -> None:
        self._stopped.set()
        self._thread.join()
        self._bound.close()

    def _serve(self) -> None:
        time.sleep(REFUSES_S)
        self._bound.listen()
        self._bound.settimeout(0.05)
        while not self._stopped.is_set():
            try:
                connection, _ = self._bound.accept()
            except TimeoutError:
                continue
            with connection:
                self._answer(connection)

    def _answer(self, connection: socket.socket) -> None:
        words = connection.recv(4096).split()
        # The last poll before a deadline may hang up without a word.
        if not words:
            return
        path = words[1].decode()
        self.asked.append(path)
        if path != "/health":
            connection.sendall(self.first)
        elif self.asked.count(path) <= POLLS:
            connection.sendall(BUSY)
        else:
            self.ready_s = self.ready_s or time.monotonic()
            connection.sendall(OK)


@pytest.fixture
def server() -> Iterator[SlowStart]:
    slow = SlowStart()
    yield slow
    slow.stop()


def probe(port: int, t0_s: float, deadline_s: float = 20.0, alive: Callable[[], bool] = lambda: True) -> ProbedStart:
    return probe_start(
        endpoint=Endpoint(port),
        path_health="/health",
        path_first="/fruits",
        t0_s=t0_s,
        deadline_s=deadline_s,
        process_alive=alive,
        read_rss=lambda: 4711,
    )


def test_times_lie_where_the_server_was_ready(server: SlowStart) -> None:
    t0_s = time.monotonic()
    start = probe(server.port, t0_s)
    assert start.healthy_ms >= 1000 * (server.ready_s - t0_s)
    assert start.first_response_ms > start.healthy_ms
    assert 0 < start.resolution_ms < start.healthy_ms
    assert start.rss_idle_bytes == 4711
    assert server.asked[-1] == "/fruits"
    assert server.asked.count("/fruits") == 1
    assert server.asked.count("/health") == POLLS + 1


def test_an_answer_to_the_first_poll_may_have_been_possible_since_the_spawn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prober, "get_status", lambda *_, **__: 200)
    start = probe(0, time.monotonic() - 5.0)
    assert 5000.0 <= start.resolution_ms <= start.healthy_ms


def test_a_process_that_ends_is_not_waited_for(server: SlowStart) -> None:
    with pytest.raises(AnswerIsNo, match="ended before it answered GET /health"):
        probe(server.port, time.monotonic(), deadline_s=1000.0, alive=lambda: False)


def test_a_deadline_that_passes_names_the_last_answer(server: SlowStart) -> None:
    server.first = BUSY
    with pytest.raises(AnswerIsNo, match=r"GET /fruits with 200 within 2 s: the last status was 503"):
        probe(server.port, time.monotonic(), deadline_s=2.0)


def test_silence_ends_at_the_deadline() -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as silent,
        pytest.raises(AnswerIsNo, match="it refused connections or stayed silent"),
    ):
        probe(silent.getsockname()[1], time.monotonic(), deadline_s=0.2)


@pytest.mark.parametrize(
    ("response", "ended", "complete"),
    [
        (b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\no", False, False),
        (OK, False, True),
        (CHUNKED[:-4], False, False),
        (CHUNKED, False, True),
        (CHUNKED[:-2] + b"Trailer: x\r\n\r\n", False, True),
        (b"HTTP/1.1 200 OK\r\n\r\nhello", False, False),
        (b"HTTP/1.1 200 OK\r\n\r\nhello", True, True),
        (b"HTTP/1.1 200 OK\r\nContent-Le", True, False),
    ],
)
def test_a_response_is_complete_when_all_of_it_is_there(response: bytes, ended: bool, complete: bool) -> None:
    assert is_complete(response, ended=ended) == complete


@pytest.mark.parametrize("size", [b"+3", b"0x3", b"1_0", b"-6"])
def test_a_size_of_a_chunk_that_is_no_number_is_refused(size: bytes) -> None:
    with pytest.raises(ValueError, match="size of a chunk"):
        is_complete(CHUNKED.replace(b"\r\n3\r\n", b"\r\n" + size + b"\r\n"), ended=False)


def test_a_body_that_drips_ends_at_the_deadline() -> None:
    def drip() -> None:
        connection, _ = dripping.accept()
        with connection, contextlib.suppress(OSError):
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")
            # Until the client has hung up.
            while True:
                connection.sendall(b".")
                time.sleep(0.02)

    with socket.create_server(("127.0.0.1", 0)) as dripping:
        thread = threading.Thread(target=drip)
        thread.start()
        endpoint = Endpoint(dripping.getsockname()[1])
        assert get_status(endpoint, "/health", end_s=time.monotonic() + 0.3, alive=lambda: True) is None
        thread.join()


def test_only_http_has_a_status() -> None:
    assert status_of(BUSY) == 503
    assert status_of(b"SSH-2.0 200") is None
    assert status_of(b"") is None
