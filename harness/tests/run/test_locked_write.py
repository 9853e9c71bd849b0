"""A write is asked for while nobody can write: an application that answers with success has not made the write."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, cast

import pytest

from plumbline.measuring.run import interventions
from plumbline.measuring.run.interventions import ask_while_locked, write_to_lock_out
from plumbline.model.errors import CannotGoOn
from plumbline.model.plan import Scenario
from plumbline.verdicts.contract.endpoint import Endpoint
from plumbline.verdicts.contract.probes import ProbeSpec, read_probes

CONTRACT = Path(__file__).resolve().parents[3] / "apps" / "contract"
SCENARIO = Scenario(
    name="zipcode-fresh",
    version=1,
    workload="zipcode",
    script="zipcode.ts",
    operation="POST /zipcode (fresh)",
    uses_database=True,
    grows=("zipcode",),
    phases=(),
)


class Database:
    """A database whose tables are locked, or that is gone."""

    def __init__(self, gone: bool = False) -> None:
        self.gone = gone
        self.let_go = threading.Event()

    @contextmanager
    def tables_locked_for_writes(self, tables: Sequence[str]) -> Iterator[None]:
        assert tables == ("zipcode",)
        if self.gone:
            raise CannotGoOn("The server is gone.")
        yield
        self.let_go.set()


def write() -> ProbeSpec:
    probe = write_to_lock_out(SCENARIO, read_probes(CONTRACT))
    assert probe is not None
    return probe


@pytest.fixture
def serve() -> Iterator[Any]:
    """An application that answers the write once an event has happened."""
    servers = []

    def start(waits_for: threading.Event) -> Endpoint:
        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                self.rfile.read(int(self.headers["Content-Length"]))
                waits_for.wait(30)
                body = write().body or b""
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *arguments: Any) -> None: ...

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        servers.append(server)
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        return Endpoint(server.server_address[1])

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


def test_who_answers_at_once_is_named(serve: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interventions, "LOCKED_S", 30.0)
    at_once = threading.Event()
    at_once.set()
    (answer,) = ask_while_locked(serve(at_once), cast(Any, Database()), SCENARIO, write())
    assert answer.status == 200
    assert answer.problem == "with success while nobody could write to zipcode: before it was made"


def test_who_waits_is_not_named(serve: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interventions, "LOCKED_S", 0.01)
    database = Database()
    (answer,) = ask_while_locked(serve(database.let_go), cast(Any, database), SCENARIO, write())
    assert (answer.status, answer.problem) == (200, None)


def test_a_database_that_is_gone_leaves_no_answer(serve: Any) -> None:
    assert ask_while_locked(serve(threading.Event()), cast(Any, Database(gone=True)), SCENARIO, write()) == ()


def test_a_scenario_that_only_reads_is_not_asked() -> None:
    probes = read_probes(CONTRACT)
    assert write_to_lock_out(SCENARIO.model_copy(update={"operation": "GET /zipcode/{zip}"}), probes) is None
    assert write_to_lock_out(SCENARIO.model_copy(update={"grows": ()}), probes) is None
