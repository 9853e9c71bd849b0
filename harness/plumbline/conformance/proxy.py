"""A proxy between an application and its database (or another server): shut, opened again, and counting round trips."""

from __future__ import annotations

import contextlib
import selectors
import socket
import threading
from collections.abc import Callable
from dataclasses import replace
from types import TracebackType

from plumbline.run.testbed import Testbed

_CHUNK = 65536


class Proxy:
    """A context: forwards 127.0.0.1:`port` to `target` while it is open; shut, it ends and refuses connections.

    `trips` counts round trips: how often the side that connected spoke first, or again after an answer. What it sends
    before the other side answers is one round trip, however many pieces come of it.
    """

    def __init__(self, target: tuple[str, int]) -> None:
        self._target = target
        self.trips = 0
        self._lock = threading.Lock()
        self._pairs: list[tuple[socket.socket, socket.socket]] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._accept()

    def __enter__(self) -> Proxy:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.shut()

    def shut(self) -> None:
        """End all connections, and refuse new ones."""
        # Wakes the thread that accepts.
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        with self._lock:
            for pair in self._pairs:
                for side in pair:
                    # A connection that is closed already has nobody left to throw out.
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
                inner, _ = listener.accept()
            except OSError:
                return
            outer = socket.create_connection(self._target)
            with self._lock:
                self._pairs.append((inner, outer))
            threading.Thread(target=_forward, args=(inner, outer, self._spoken_to), daemon=True).start()

    def _spoken_to(self) -> None:
        with self._lock:
            self.trips += 1


class _Behind:
    """A database that is reached through the proxy."""

    def __init__(self, testbed: Testbed, proxy: Proxy) -> None:
        self._testbed = testbed
        self.address = replace(testbed.database.address, host="127.0.0.1", port=proxy.port)

    def __getattr__(self, name: str) -> object:
        return getattr(self._testbed.database, name)


def proxied(testbed: Testbed) -> Proxy:
    """Return a proxy in front of the testbed's database."""
    return Proxy((testbed.database.address.host, testbed.database.address.port))


def behind(testbed: Testbed, proxy: Proxy) -> Testbed:
    """Return the testbed, whose applications reach the database through the proxy."""
    return replace(testbed, database=_Behind(testbed, proxy))  # type: ignore[arg-type]


def _forward(one: socket.socket, other: socket.socket, spoken: Callable[[], None]) -> None:
    """Forward both ways until a side ends; `spoken` is called each time that `one` begins to speak."""
    speaks = False
    with selectors.DefaultSelector() as ready, one, other:
        ready.register(one, selectors.EVENT_READ, other)
        ready.register(other, selectors.EVENT_READ, one)
        while True:
            for key, _ in ready.select():
                source, sink = key.fileobj, key.data
                assert isinstance(source, socket.socket)
                try:
                    content = source.recv(_CHUNK)
                    if content and source is one and not speaks:
                        spoken()
                    speaks = source is one
                    sink.sendall(content)
                except OSError:
                    return
                if not content:
                    return
