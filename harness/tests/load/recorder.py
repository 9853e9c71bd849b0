"""A server in this process that keeps every request it gets, for tests of what k6 sends and in which order."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple


class Request(NamedTuple):
    """A request as it arrived; `fields` are those of its head, in their order."""

    method: str
    path: str
    body: bytes
    fields: tuple[tuple[str, str], ...] = ()


class Response(NamedTuple):
    """A status, and the body that goes with it."""

    status: int
    body: bytes = b""


@contextmanager
def recorder(answer: Callable[[Request], Response]) -> Iterator[tuple[str, list[Request]]]:
    """Yield the address of a server, and the list of its requests, which grows in the order of their arrival."""
    requests: list[Request] = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        # Head and body leave in one packet: else the body waits until the client has acknowledged the head.
        wbufsize = -1

        def answer_it(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
            request = Request(self.command, self.path, body, tuple(self.headers.items()))
            requests.append(request)
            response = answer(request)
            self.send_response(response.status)
            if response.status != 204:
                self.send_header("Content-Length", str(len(response.body)))
            self.end_headers()
            self.wfile.write(response.body)

        do_GET = do_POST = do_PUT = do_DELETE = answer_it

        def log_message(self, format: str, *args: object) -> None:
            pass

    class Server(ThreadingHTTPServer):
        # All VUs of a phase connect at once.
        request_queue_size = 1024

    server = Server(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}", requests
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
