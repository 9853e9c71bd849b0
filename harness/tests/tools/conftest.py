"""A server that answers with what a test gives it, and a toolbox whose sentences are kept."""

from __future__ import annotations

import http.server
import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from plumbline.machine.host.paths import Paths
from plumbline.machine.tools.download import Pins
from plumbline.machine.tools.toolbox import Toolbox


class FileServer:
    """`files` is path -> (stated length, body); anything else is a 404. `asked` are the paths that were asked for."""

    def __init__(self) -> None:
        self.files: dict[str, tuple[int, bytes]] = {}
        self.asked: list[str] = []
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                outer.asked.append(self.path)
                if self.path not in outer.files:
                    self.send_error(404)
                    return
                length, body = outer.files[self.path]
                self.send_response(200)
                self.send_header("Content-Length", str(length))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=lambda: self._server.serve_forever(poll_interval=0.01))
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def serve(self, path: str, body: bytes, *, stated: int | None = None) -> str:
        self.files[path] = (len(body) if stated is None else stated, body)
        return self.url + path

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@pytest.fixture
def server() -> Iterator[FileServer]:
    server = FileServer()
    yield server
    server.close()


@pytest.fixture
def said() -> list[str]:
    return []


@pytest.fixture
def box(tmp_path: Path, said: list[str]) -> Toolbox:
    """A toolbox with an empty PATH, its own cache and checkout, and the real pins for an x86-64 machine."""
    paths = Paths(tmp_path / "checkout", tmp_path / "cache", tmp_path / "scratch", os.geteuid())
    paths.checkout.mkdir()
    return Toolbox(paths, Pins.of({}, "x86_64"), {"PATH": ""}, said.append)
