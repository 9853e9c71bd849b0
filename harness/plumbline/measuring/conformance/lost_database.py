"""Checks what an application does while its database goes away and comes back, behind a proxy."""

from __future__ import annotations

import contextlib
import http.client
import json
import selectors
import socket
import threading
import time
from collections.abc import Callable
from dataclasses import replace

from plumbline.measuring.run.job import Job
from plumbline.measuring.run.testbed import Testbed
from .serving import Serving, serving

_CHUNK = 65536


class Proxy:
    """A context manager that forwards 127.0.0.1:`port` to `target` while it is open; shut, it ends and refuses
    connections.

    `trips` counts round trips: how often the client began to send, at first or after an answer. All that it sends
    before the server answers is one round trip, however many pieces that makes. Each answer is held back for `delay_s`,
    as by a network, so that only a client that waits for the answer sends after it.
    """

    def __init__(self, target: tuple[str, int], delay_s: float = 0.0) -> None:
        self._target = target
        self._delay_s = delay_s
        self.trips = 0
        self._lock = threading.Lock()
        self._pairs: list[tuple[socket.socket, socket.socket]] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._accept()

    def __enter__(self) -> Proxy:
        return self

    def __exit__(self, *error: object) -> None:
        self.shut()

    def shut(self) -> None:
        """End all connections, and refuse new ones."""
        # This wakes the thread that accepts connections.
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        with self._lock:
            for pair in self._pairs:
                for side in pair:
                    # A connection that is closed already can't be shut down.
                    with contextlib.suppress(OSError):
                        side.shutdown(socket.SHUT_RDWR)
            self._pairs.clear()

    def open_again(self) -> None:
        """Accept connections again, at the same port."""
        self._listener = socket.create_server(("127.0.0.1", self.port))
        self._accept()

    def _accept(self) -> None:
        threading.Thread(target=self._serve, args=(self._listener,), daemon=True).start()

    def _serve(self, listener: socket.socket) -> None:
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            server = socket.create_connection(self._target)
            with self._lock:
                self._pairs.append((client, server))
            arguments = (client, server, self._count_trip, self._delay_s)
            threading.Thread(target=_forward, args=arguments, daemon=True).start()

    def _count_trip(self) -> None:
        with self._lock:
            self.trips += 1


class _ProxiedDatabase:
    """A database that is reached through the proxy."""

    def __init__(self, testbed: Testbed, proxy: Proxy) -> None:
        self._testbed = testbed
        self.address = replace(testbed.database.address, host="127.0.0.1", port=proxy.port)

    def __getattr__(self, name: str) -> object:
        return getattr(self._testbed.database, name)


def proxied(testbed: Testbed, delay_s: float = 0.0) -> Proxy:
    """Return a proxy in front of the testbed's database, which holds each answer back for `delay_s`."""
    return Proxy((testbed.database.address.host, testbed.database.address.port), delay_s)


def through_proxy(testbed: Testbed, proxy: Proxy) -> Testbed:
    """Return the testbed, whose applications reach the database through the proxy."""
    return replace(testbed, database=_ProxiedDatabase(testbed, proxy))  # type: ignore[arg-type]


def _forward(client: socket.socket, server: socket.socket, count_trip: Callable[[], None], delay_s: float) -> None:
    """Forward both ways until a side ends; `count_trip` is called each time that the client begins to send."""
    client_sends = False
    with selectors.DefaultSelector() as sides, client, server:
        for side in (client, server):
            sides.register(side, selectors.EVENT_READ)
        while True:
            ready = {key.fileobj for key, _ in sides.select()}
            if delay_s and client not in ready:
                time.sleep(delay_s)
                ready = {key.fileobj for key, _ in sides.select()}
            # A client that sends before the answer is delivered did not wait for it, so its bytes go first.
            source, sink = (client, server) if client in ready else (server, client)
            try:
                content = source.recv(_CHUNK)
                if content and source is client and not client_sends:
                    count_trip()
                client_sends = source is client
                sink.sendall(content)
            except OSError:
                return
            if not content:
                return


# The contract's limits: 503 within the first, 200 again within the second.
ANSWER_S = 5.0
BACK_S = 10.0
_GONE = "The database does not answer."
_PATH = "/fruits"


def gone_and_back(testbed: Testbed, job: Job) -> tuple[str, ...]:
    """Return sentences on what falls short: 503 in time with the contract's problem, recovery without a restart."""
    with proxied(testbed) as proxy, serving(through_proxy(testbed, proxy), job) as served:
        if (first_answer := _ask(served))[0] != 200:
            return (f"GET {_PATH} is answered by {first_answer[0]} while the database is there.",)
        proxy.shut()
        problems = [sentence for _ in range(3) for sentence in _problems_while_gone(served)]
        proxy.open_again()
        return (*dict.fromkeys(problems), *_recovery_problems(served))


def refusal_problems(when: str, operation: str, detail: str, status: int, body: bytes) -> list[str]:
    """Return sentences on what an answer lacks of 503 with that detail."""
    if status != 503:
        return [f"{when}, {operation} is answered by {status}."]
    return [] if json.loads(body).get("detail") == detail else [f"{when}, the detail is not '{detail}'."]


def _problems_while_gone(served: Serving) -> list[str]:
    status, body, took_s = _ask(served)
    problems = refusal_problems("While the database is gone", f"GET {_PATH}", _GONE, status, body)
    if took_s >= ANSWER_S:
        problems.append(f"While the database is gone, an answer takes {took_s:.1f} s.")
    return problems


def _recovery_problems(served: Serving) -> tuple[str, ...]:
    deadline_s = time.monotonic() + BACK_S
    while _ask(served)[0] != 200:
        if time.monotonic() > deadline_s:
            return (f"It did not recover within {BACK_S:.0f} s of the database's return.",)
        time.sleep(0.1)
    return ()


def _ask(served: Serving) -> tuple[int, bytes, float]:
    """Send a request; return the status (0 for no answer), the body, and the seconds that the answer took."""
    began = time.monotonic()
    try:
        status, body = served.ask("GET", _PATH)
    except (OSError, http.client.HTTPException) as error:
        status, body = 0, type(error).__name__.encode()
    return status, body, time.monotonic() - began
