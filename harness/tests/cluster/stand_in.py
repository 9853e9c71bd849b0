"""A stand-in for the API of a cluster: HTTPS on this host, with the answers that a test gives."""

from __future__ import annotations

import json
import ssl
import threading
import time
from collections.abc import Callable
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import yaml

from plumbline.measuring.cluster.api import ClusterApi, open_api
from plumbline.measuring.cluster.observing import TOKEN_HEADER
from tests.kubernetes.cluster.authority import Authority

Answer = tuple[int, Any]


class StandIn:
    """`answer` gets the method, the path without its query, and the body, or for a GET and a DELETE the query. The
    status 0 ends the connection without an answer. `date` gives the time that an answer states, by its path.
    """

    def __init__(self, folder: Path, answer: Callable[[str, str, Any], Answer]) -> None:
        authority = Authority(folder)
        served, user = (authority.issue(name, name, addresses=("127.0.0.1",)) for name in ("server", "user"))
        self.asked: list[tuple[str, str]] = []
        self.headers: list[str | None] = []
        self.tokens: dict[str, str | None] = {}
        self.date: Callable[[str], str] = lambda path: formatdate(time.time(), usegmt=True)
        stand_in = self

        class Handler(BaseHTTPRequestHandler):
            # Connections are kept, as those of a cluster's API are. An answer is written as a whole and sent at once,
            # else the first answer of a connection waits until the client has confirmed the session tickets of TLS.
            protocol_version = "HTTP/1.1"
            wbufsize = -1
            disable_nagle_algorithm = True

            def _answer(self) -> None:
                length = int(self.headers.get("Content-Length") or 0)
                body = json.loads(self.rfile.read(length)) if length else None
                path, _, query = self.path.partition("?")
                if self.command in ("GET", "DELETE"):
                    body = dict(parse_qsl(query))
                stand_in.asked.append((self.command, path))
                stand_in.headers.append(self.headers.get("Authorization"))
                stand_in.tokens[path] = self.headers.get(TOKEN_HEADER)
                status, reply = answer(self.command, path, body)
                if status == 0:
                    self.close_connection = True
                    return
                content = reply.encode() if isinstance(reply, str) else json.dumps(reply).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def date_time_string(self, timestamp: float | None = None) -> str:
                return stand_in.date(self.path)

            do_GET = do_POST = do_PATCH = do_DELETE = _answer

            def log_message(self, *words: object) -> None:
                """Say nothing."""

        class Server(ThreadingHTTPServer):
            # So many may connect at the same moment.
            request_queue_size = 128

        self._server = Server(("127.0.0.1", 0), Handler)
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(served.certificate, served.key)
        tls.load_verify_locations(authority.file)
        tls.verify_mode = ssl.CERT_OPTIONAL
        self._server.socket = tls.wrap_socket(self._server.socket, server_side=True)
        self.address = f"https://127.0.0.1:{self._server.server_port}"
        self.cluster = {"server": self.address, "certificate-authority": authority.file.name}
        self.user = {"client-certificate": user.certificate.name, "client-key": user.key.name}
        self.kubeconfig = folder / "kubeconfig"
        self.write()

    def write(self, **user: Any) -> None:
        """Write the kubeconfig; `user`, where it is given, takes the place of the user of the certificate."""
        document = {
            "contexts": [{"name": "tests", "context": {"cluster": "here", "user": "me"}}],
            "current-context": "tests",
            "clusters": [{"name": "here", "cluster": self.cluster}],
            "users": [{"name": "me", "user": user or self.user}],
        }
        self.kubeconfig.write_text(yaml.safe_dump(document), encoding="utf-8")

    def api(self) -> ClusterApi:
        """The API by the kubeconfig."""
        return open_api({"KUBECONFIG": str(self.kubeconfig)})

    def __enter__(self) -> StandIn:
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *error: object) -> None:
        self._server.shutdown()
        self._server.server_close()
