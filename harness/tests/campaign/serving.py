"""The stand-in for GitHub's API at a port of this machine, and a Maven repository's index beside it."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from .github import TOKEN, GitHub


def _index(hub: GitHub, path: str) -> bytes:
    """The index of an artifact in a Maven repository, which is open to everybody."""
    versions = hub.releases_of.get(path.split("/")[-2], [])
    rows = "".join(f"<version>{version}</version>" for version in versions)
    return f"<metadata><versioning><versions>{rows}</versions></versioning></metadata>".encode()


@contextmanager
def listening(hub: GitHub) -> Iterator[GitHub]:
    """The stand-in at a port of this machine, while the context lasts."""

    class Handler(BaseHTTPRequestHandler):
        def _serve(self) -> None:
            parts = urlsplit(self.path)
            content = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            is_json = "json" in self.headers.get("Content-Type", "")
            query = {name: values[-1] for name, values in parse_qs(parts.query).items()}
            document: Any
            if parts.path.startswith("/maven2/"):
                status, document = 200, _index(hub, parts.path)
            elif self.headers.get("Authorization") != f"Bearer {TOKEN}":
                hub.unauthorized.append(f"{self.command} {self.path}")
                status, document = 401, {"message": "Requires authentication"}
            else:
                body = json.loads(content) if is_json and content else content or None
                status, document = hub.answer(self.command, unquote(parts.path), query, body)
            answer = (
                document if isinstance(document, bytes) else b"" if document is None else json.dumps(document).encode()
            )
            self.send_response(status)
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        do_GET = do_POST = do_PATCH = _serve

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    hub.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield hub
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
