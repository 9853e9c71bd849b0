"""HTTP over TLS with the certificate of a session: checked against its authority, and refused otherwise."""

from __future__ import annotations

import http.server
import ssl
import stat
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.serialization.pkcs12 import load_pkcs12

from plumbline.measuring.services.tls import HttpTls, make_http_tls
from plumbline.verdicts.contract.endpoint import Endpoint, get_status


class _Answers(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"ok")

    def log_message(self, format: str, *words: object) -> None:
        pass


@pytest.fixture
def tls(tmp_path: Path) -> HttpTls:
    return make_http_tls(tmp_path / "http-tls")


@pytest.fixture
def port(tls: HttpTls) -> Iterator[int]:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Answers)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tls.files.certificate, tls.files.key)
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield server.server_address[1]
    server.shutdown()
    thread.join()
    server.server_close()


def status(endpoint: Endpoint) -> int | None:
    return get_status(endpoint, "/health", end_s=time.monotonic() + 10, alive=lambda: True)


def test_the_sessions_own_connections_are_served(tls: HttpTls, port: int) -> None:
    endpoint = Endpoint(port, tls.client)
    assert endpoint.url == f"https://127.0.0.1:{port}"
    assert status(endpoint) == 200
    connection = endpoint.connection(10)
    connection.request("GET", "/environment")
    assert isinstance(connection.sock, ssl.SSLSocket)
    assert connection.sock.version() == "TLSv1.3"
    assert connection.getresponse().read() == b"ok"
    connection.close()


def test_another_sessions_certificate_and_plain_requests_are_refused(port: int, tmp_path: Path) -> None:
    other = make_http_tls(tmp_path / "other")
    assert status(Endpoint(port, other.client)) is None
    assert status(Endpoint(port)) is None


def test_the_store_holds_the_same_certificate_under_its_password(tls: HttpTls) -> None:
    store = load_pkcs12(tls.store.read_bytes(), tls.password.encode())
    assert store.cert is not None and store.key is not None
    assert store.cert.certificate.public_key() == store.key.public_key()
    assert len(store.additional_certs) == 1


@pytest.mark.parametrize(("shared", "mode"), [(False, 0o600), (True, 0o644)])
def test_the_key_is_ours_alone_unless_an_application_runs_as_somebody_else(
    tmp_path: Path, shared: bool, mode: int
) -> None:
    certificate = make_http_tls(tmp_path / "made", shared=shared)
    assert stat.S_IMODE(certificate.files.key.stat().st_mode) == mode
    assert stat.S_IMODE(certificate.store.stat().st_mode) == mode
