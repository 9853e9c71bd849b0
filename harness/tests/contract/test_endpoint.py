"""An application may answer without an end, or state a length beyond all memory."""

from __future__ import annotations

import contextlib
import http.client
import itertools
import socket
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import pytest

from plumbline.verdicts.contract import endpoint as module
from plumbline.verdicts.contract.endpoint import Endpoint
from plumbline.verdicts.contract.probes import ProbeSpec, send_probes

OK = b"HTTP/1.1 200 OK\r\n"
RIGHT = OK + b"Content-Length: 2\r\n\r\n[]"


@contextmanager
def answering(*answers: Iterable[bytes], every_s: float = 0.0) -> Iterator[Endpoint]:
    """A server that answers each request of one connection by pieces, until the client hangs up."""
    hung_up = threading.Event()

    def serve() -> None:
        connection, _ = listening.accept()
        with connection, contextlib.suppress(OSError):
            for pieces in answers:
                connection.recv(1 << 16)
                for piece in pieces:
                    connection.sendall(piece)
                    if hung_up.wait(every_s):
                        return

    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield Endpoint(listening.getsockname()[1])
        finally:
            hung_up.set()
            thread.join()


def asked(endpoint: Endpoint, *, timeout_s: float = 10.0) -> bytes:
    connection = endpoint.connection(timeout_s)
    try:
        connection.request("GET", "/environment")
        return connection.getresponse().read()
    finally:
        connection.close()


@pytest.mark.parametrize(
    "begin",
    [
        b"",
        OK,
        OK + b"\r\n",
        OK + b"Content-Length: 1000000\r\n\r\n",
        OK + b"Transfer-Encoding: chunked\r\n\r\n",
    ],
    ids=["status", "fields", "until the end", "length", "size of a chunk"],
)
def test_an_answer_that_drips_ends_in_time(begin: bytes) -> None:
    pieces = itertools.chain([begin], itertools.repeat(b"1"))
    with answering(pieces, every_s=0.02) as endpoint, pytest.raises(TimeoutError):
        asked(endpoint, timeout_s=0.3)


@pytest.mark.parametrize("begin", [OK + b"\r\n", OK + b"Content-Length: 1000000000\r\n\r\n", b""])
def test_an_answer_has_so_many_bytes(begin: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_BYTES", 100_000)
    pieces = itertools.chain([begin], itertools.repeat(b"x" * 1000 if begin else b"HTTP/1.1 100 Continue\r\n\r\n"))
    with answering(pieces) as endpoint, pytest.raises(http.client.HTTPException, match="more than 100,000 bytes"):
        asked(endpoint)


@pytest.mark.parametrize(
    "begin",
    [
        *(OK + b"Content-Length: %d\r\n\r\n" % length for length in (1 << 50, 1 << 70)),
        *(OK + b"Transfer-Encoding: chunked\r\n\r\n%x\r\n" % size for size in (1 << 50, 1 << 70)),
    ],
)
def test_a_length_beyond_all_memory_is_a_wrong_answer(begin: bytes) -> None:
    probe = ProbeSpec(name="fruits", workload="fruits", part="read", method="GET", path="/fruits", status=(200,))
    with answering([begin, b"x"]) as endpoint:
        (answer,) = send_probes(endpoint, [probe])
    assert answer.status is None and answer.problem is not None and "no answer" in answer.problem


def test_each_answer_of_a_connection_has_the_whole_time() -> None:
    with answering([RIGHT], [RIGHT]) as endpoint:
        connection = endpoint.connection(5.0)
        for _ in range(2):
            connection.request("GET", "/fruits")
            assert connection.getresponse().read() == b"[]"
            assert connection.sock.gettimeout() == 5.0
        connection.close()
