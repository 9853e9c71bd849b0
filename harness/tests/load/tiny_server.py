"""An HTTP server that answers each request alike and counts the requests; for tests and benchmarks of
the load.

`python tiny_server.py BEHAVIOUR BODY` prints its port, and its count of requests at SIGTERM. `by-key` answers with the
row that was asked for or sent, `by-key-bent` with another row each tenth time.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import signal
import sys

BEHAVIOURS = (
    "ok",
    "unavailable",
    "hang",
    "close",
    "tenth-closes",
    "slow",
    "uneven",
    "chunked",
    "by-key",
    "by-key-bent",
)
SLOW_S = 0.2


def answer(status: str, body: bytes) -> bytes:
    head = f"HTTP/1.1 {status}\r\nContent-Type: text/plain\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


def row(method: str, path: str, sent: bytes, bent: bool) -> bytes:
    """The contract's answer to a request that reads a row or makes it."""
    folder, _, key = path.strip("/").partition("/")
    if folder == "zipcode":
        columns = dict.fromkeys(("type", "city", "state", "county", "timezone"), "x")
        zipcode = json.loads(sent) if method == "POST" else {"zip": key, **columns}
        document = {**zipcode, "zip": zipcode["zip"] + "0" * bent}
    elif folder == "companies":
        document = {"id": int(key), "name": hashlib.md5(f"company {int(key) + bent}".encode()).hexdigest()}
    elif method == "POST":
        order = json.loads(sent)
        items = [{"itemId": line["productId"], "quantity": line["quantity"]} for line in order["items"]]
        document = {"id": 7, **order, "items": items, "cardId": order["cardId"] + bent}
    else:
        document = {"id": int(key), "items": [1] * (1 + int(key) % 3 + bent)}
    is_created = (method, folder) == ("POST", "orders")
    return answer("201 Created" if is_created else "200 OK", json.dumps(document, separators=(",", ":")).encode())


class TinyServer(asyncio.Protocol):
    """One connection; requests are never pipelined."""

    requests = 0

    def __init__(self, behaviour: str, body: bytes) -> None:
        self.behaviour = behaviour
        self.answer = answer("503 Service Unavailable" if behaviour == "unavailable" else "200 OK", body)
        self.created = answer("201 Created", body)
        self.longer = answer("200 OK", body + b" ")
        head = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n"
        self.chunked = head + f"{len(body):x}".encode() + b"\r\n" + body + b"\r\n0\r\n\r\n"
        self.gone = b"HTTP/1.1 204 No Content\r\n\r\n"
        self.received = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        self.received += data
        head, end, body = self.received.partition(b"\r\n\r\n")
        if not end or len(body) < _content_length(head):
            return
        post = self.received.startswith((b"POST /fruits", b"POST /orders"))
        delete, self.received = self.received.startswith(b"DELETE "), b""
        TinyServer.requests += 1
        if self.behaviour == "hang":
            return
        if self.behaviour == "close":
            self.transport.close()
            return
        text = self.created if post and self.behaviour == "ok" else self.answer
        text = self.gone if delete and self.behaviour == "ok" else text
        if self.behaviour == "uneven" and TinyServer.requests % 10 == 0:
            text = self.longer
        if self.behaviour == "tenth-closes" and TinyServer.requests % 10 == 0:
            self.transport.write(text.replace(b"\r\n", b"\r\nConnection: close\r\n", 1))
            self.transport.close()
            return
        text = self.chunked if self.behaviour == "chunked" else text
        if self.behaviour.startswith("by-key"):
            method, path = head.decode().split(" ")[:2]
            bent = self.behaviour == "by-key-bent" and TinyServer.requests % 10 == 0
            text = row(method, path, body, bent)
        if self.behaviour == "slow":
            asyncio.get_running_loop().call_later(SLOW_S, self.transport.write, text)
        else:
            self.transport.write(text)


def _content_length(head: bytes) -> int:
    _, found, value = head.lower().partition(b"content-length:")
    return int(value.split(b"\r\n", 1)[0]) if found else 0


async def serve(behaviour: str, body: bytes) -> None:
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: TinyServer(behaviour, body), "127.0.0.1", 0, backlog=1024)
    print(server.sockets[0].getsockname()[1], flush=True)
    stopped = asyncio.Event()
    loop.add_signal_handler(signal.SIGTERM, stopped.set)
    await stopped.wait()
    server.close()
    print(TinyServer.requests, flush=True)


if __name__ == "__main__":
    asyncio.run(serve(sys.argv[1], sys.argv[2].encode()))
