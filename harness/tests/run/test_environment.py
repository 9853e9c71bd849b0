"""The environment that an application states is kept only if a record can hold it."""

from __future__ import annotations

import socket
import threading
from types import SimpleNamespace
from typing import Any

import pytest

from plumbline.measuring.run.drivers import HttpDriver


def environment(body: bytes) -> dict[str, Any] | None:
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer() -> None:
            connection, _ = server.accept()
            with connection:
                connection.recv(4096)
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body)

        thread = threading.Thread(target=answer)
        thread.start()
        testbed: Any = SimpleNamespace(free_port=lambda: server.getsockname()[1], stop_s=10.0, http_tls=None)
        job: Any = SimpleNamespace(settings={"http-tls": "off"})
        stated = HttpDriver(testbed, job).environment(lambda: None)
        thread.join()
    return stated


def test_an_environment_is_kept_as_it_is_stated() -> None:
    assert environment(b'{"processors":2,"java":{"version":"25"}}') == {"processors": 2, "java": {"version": "25"}}


@pytest.mark.parametrize(
    "value",
    ["[" * 100_000, "[" * 400 + "]" * 400, "NaN", "1e400", '"\\ud800"', "1" * 200],
    ids=["endless", "deep", "NaN", "infinite", "half a letter", "long"],
)
def test_an_environment_that_no_record_can_hold_is_none(value: str) -> None:
    assert environment(b'{"processors":%s}' % value.encode()) is None
