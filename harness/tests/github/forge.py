"""A fake forge: it answers API requests out of a table, and keeps a list of all requests."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from plumbline.reporting.github.api import Api


@dataclass
class Forge:
    """`answers` has by method and path a document, bytes, or (status, document); a list is paged."""

    answers: dict[tuple[str, str], Any] = field(default_factory=dict)
    asked: list[tuple[str, str, dict[str, list[str]], Any]] = field(default_factory=list)
    tokens: set[str | None] = field(default_factory=set)
    url: str = ""

    def on(self, method: str, path: str, answer: Any) -> None:
        """Sets the answer at `/repos/owner/name` + path; a path that begins with two slashes has no such prefix."""
        self.answers[method, path[1:] if path.startswith("//") else f"/repos/owner/name{path}"] = answer

    def api(self, retries: int = 0) -> Api:
        return Api(self.url, "owner/name", "secret", retries)

    def sent(self, method: str) -> list[tuple[str, Any]]:
        """Path and body of all requests with a method; the paths are without the repository's prefix."""
        prefix = "/repos/owner/name"
        return [(path.removeprefix(prefix), body) for sent_method, path, _, body in self.asked if sent_method == method]

    def answered(self, method: str, path: str, query: dict[str, list[str]]) -> tuple[int, Any]:
        answer = self.answers.get((method, path), (404, {"message": "Not Found"}))
        if callable(answer):
            answer = answer()
        if isinstance(answer, list):
            size, page = int(query.get("per_page", ["30"])[0]), int(query.get("page", ["1"])[0])
            return 200, answer[(page - 1) * size : page * size]
        if isinstance(answer, dict) and "workflow_runs" in answer:
            page = int(query.get("page", ["1"])[0])
            return 200, answer if page == 1 else {**answer, "workflow_runs": []}
        return answer if isinstance(answer, tuple) else (200, answer)


@contextmanager
def forge() -> Iterator[Forge]:
    """A forge that listens while the context lasts."""
    running_forge = Forge()

    class Handler(BaseHTTPRequestHandler):
        def _serve(self) -> None:
            parts = urlsplit(self.path)
            length = int(self.headers.get("Content-Length") or 0)
            body = self.rfile.read(length)
            query = parse_qs(parts.query)
            try:
                document = json.loads(body) if body else None
            except ValueError:
                document = body
            running_forge.asked.append((self.command, unquote(parts.path), query, document))
            running_forge.tokens.add(self.headers.get("Authorization"))
            status, answer = running_forge.answered(self.command, unquote(parts.path), query)
            content = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
            self.send_response(status)
            if status in (301, 302, 307):
                self.send_header("Location", str(answer["to"]))
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = _serve

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    running_forge.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield running_forge
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
