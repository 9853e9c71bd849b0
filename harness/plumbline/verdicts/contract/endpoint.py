"""The address of an application, plain or over TLS, and one GET over a fresh connection, which the prober sends.

Every request has the head of a request of k6: a program can't tell by a field whether the load or the harness asks.
"""

from __future__ import annotations

import http.client
import io
import socket
import ssl
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

# As in k6/lib/options.ts: what k6 2.2 calls itself, whichever k6 sends the load.
USER_AGENT = "Grafana k6/2.2.0"


# A hundred times as many as the largest golden answer has.
MOST_BYTES = 1 << 24


class _Bounded(io.RawIOBase):
    """The bytes of one answer as they arrive: at most MOST_BYTES within the connection's own timeout."""

    def __init__(self, received: io.RawIOBase, connection: socket.socket) -> None:
        self._received, self._connection = received, connection
        self._timeout_s = connection.gettimeout() or 0.0
        self._end_s = time.monotonic() + self._timeout_s
        self._left = MOST_BYTES

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: Any) -> int | None:
        """Receive some bytes. Raises TimeoutError and HTTPException beyond the bounds."""
        left_s = self._end_s - time.monotonic()
        if left_s <= 0:
            raise TimeoutError("the answer does not end in time")
        # The socket's own timeout begins anew with each piece, of which there may be one after another without an end.
        self._connection.settimeout(left_s)
        try:
            received = self._received.readinto(buffer)
        finally:
            self._connection.settimeout(self._timeout_s)
        self._left -= received or 0
        if self._left < 0:
            raise http.client.HTTPException(f"the answer has more than {MOST_BYTES:,} bytes")
        return received

    def close(self) -> None:
        """Close what was received from."""
        self._received.close()
        super().close()


class _BoundedAnswer(http.client.HTTPResponse):
    """An answer of an application, which may never end."""

    def __init__(self, sock: socket.socket, *words: Any, **named_words: Any) -> None:
        super().__init__(sock, *words, **named_words)
        self.fp = io.BufferedReader(_Bounded(self.fp.detach(), sock))

    def read(self, amt: int | None = None) -> bytes:
        """Return the body. Raises OSError and HTTPException, also where a stated length is beyond all memory."""
        try:
            return super().read(amt)
        except (MemoryError, OverflowError) as error:
            raise http.client.HTTPException("the answer states a length beyond all bounds") from error


class _AsK6(http.client.HTTPConnection):
    """A connection whose requests have the fields of k6's, in the same order, and whose answers have bounds."""

    response_class = _BoundedAnswer

    def putrequest(self, method: str, url: str, skip_host: bool = False, skip_accept_encoding: bool = False) -> None:
        """Begin a request with Host and User-Agent, and without Accept-Encoding."""
        super().putrequest(method, url, skip_host, skip_accept_encoding=True)
        self.putheader("User-Agent", USER_AGENT)


class _AsK6OverTls(_AsK6, http.client.HTTPSConnection):
    """The same over TLS."""


@dataclass(frozen=True)
class Endpoint:
    """An address; `tls` is None for plain HTTP."""

    port: int
    tls: ssl.SSLContext | None = None
    host: str = "127.0.0.1"

    @property
    def url(self) -> str:
        """The base of the URLs of the application."""
        return f"http{'' if self.tls is None else 's'}://{self.host}:{self.port}"

    def connection(self, timeout_s: float) -> http.client.HTTPConnection:
        """Return a connection that opens with its first request; `timeout_s` is the time of each whole answer."""
        if self.tls is None:
            return _AsK6(self.host, self.port, timeout=timeout_s)
        return _AsK6OverTls(self.host, self.port, timeout=timeout_s, context=self.tls)


# How long a silent connection is waited for before the next look whether the process still lives.
_LOOK_UP_S = 0.05


def get_status(endpoint: Endpoint, path: str, *, end_s: float, alive: Callable[[], bool]) -> int | None:
    """Return the status of a complete response; None when refused, cut off, dead, or past `end_s` (monotonic)."""
    try:
        with ExitStack() as stack:
            connection = stack.enter_context(_connect(endpoint, end_s))
            request = (
                f"GET {path} HTTP/1.1\r\nHost: {endpoint.host}:{endpoint.port}\r\nUser-Agent: {USER_AGENT}\r\n\r\n"
            )
            connection.sendall(request.encode("ascii"))
            connection.settimeout(_LOOK_UP_S)
            received = b""
            while not is_complete(received, ended=False):
                # A server may send a piece again and again and never end.
                if time.monotonic() > end_s or len(received) > MOST_BYTES:
                    return None
                try:
                    piece = connection.recv(1 << 16)
                except TimeoutError:
                    if not alive():
                        return None
                    continue
                if not piece:
                    return status_of(received) if is_complete(received, ended=True) else None
                received += piece
            return status_of(received)
    except (OSError, ValueError):
        return None


def _connect(endpoint: Endpoint, end_s: float) -> socket.socket:
    """Connect to the endpoint. Raises OSError, which an SSLError is."""
    plain = socket.create_connection((endpoint.host, endpoint.port), timeout=max(0.001, end_s - time.monotonic()))
    plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    if endpoint.tls is None:
        return plain
    try:
        return endpoint.tls.wrap_socket(plain, server_hostname=endpoint.host)
    except BaseException:
        plain.close()
        raise


def status_of(response: bytes) -> int | None:
    """Return the status in the first line; None when it isn't HTTP/1."""
    words = response.split(b"\r\n", 1)[0].split()
    return int(words[1]) if len(words) > 1 and words[0].startswith(b"HTTP/1.") and words[1].isdigit() else None


def is_complete(response: bytes, *, ended: bool) -> bool:
    """Return whether a response is complete (RFC 9112, section 6.3). `ended`: the server closed the connection.

    Raises ValueError for a length that is no number.
    """
    head, separator, body = response.partition(b"\r\n\r\n")
    if not separator:
        return False
    fields: dict[bytes, bytes] = {}
    for line in head.split(b"\r\n")[1:]:
        name, _, value = line.partition(b":")
        fields[name.strip().lower()] = value.strip().lower()
    if fields.get(b"transfer-encoding", b"").endswith(b"chunked"):
        return _chunks_complete(body)
    if b"content-length" in fields:
        return len(body) >= int(fields[b"content-length"])
    return ended


def _chunks_complete(body: bytes) -> bool:
    position = 0
    while (line_end := body.find(b"\r\n", position)) >= 0:
        digits = body[position:line_end].split(b";")[0].strip()
        # int() also takes signs and underscores, and a negative size would lead back.
        if digits.strip(b"0123456789abcdefABCDEF"):
            raise ValueError("a size of a chunk is no number")
        size = int(digits, 16)
        if size == 0:
            return b"\r\n\r\n" in body[line_end:]
        position = line_end + 2 + size + 2
    return False
