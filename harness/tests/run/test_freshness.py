"""A row is changed and put back in the middle of a phase, or not at all."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, cast

import pytest

from plumbline.measuring.run import interventions
from plumbline.measuring.run.interventions import AskedRow, RowChange, row_to_change
from plumbline.model.errors import CannotGoOn
from plumbline.model.plan import Phase
from plumbline.verdicts.contract.changed_row import ChangedRow
from plumbline.verdicts.contract.endpoint import Endpoint
from plumbline.verdicts.contract.probes import ProbeSpec

ROW = ChangedRow(table="fruits", primary_key="id", column="description", id=1, before="red", after="xyz")
GOLDEN = '[{"id":1,"description":"red"}]'


class Database:
    """A database that remembers each rewrite; `holds` is the text of the row."""

    def __init__(self, holds: str = "red") -> None:
        self.holds = holds
        self.rewrites: list[tuple[str, str]] = []
        self.changed = threading.Event()
        self.asked = threading.Event()

    def rewrite(self, table: str, column: str, id: int, before: str, after: str, *, primary_key: str = "id") -> bool:
        self.rewrites.append((before, after))
        self.asked.set()
        if self.holds == "gone":
            raise CannotGoOn("The server is gone.")
        if self.holds != before:
            return False
        self.holds = after
        self.changed.set()
        return True


def change_of(database: Database, duration_s: float = 0.0) -> RowChange:
    return RowChange(cast(Any, database), ROW, duration_s)


def test_it_is_changed_and_put_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interventions, "HELD_S", 0.01)
    database = Database()
    monkeypatch.setattr(interventions, "K6_STARTS_S", 0.0)
    change = change_of(database)
    change.start()
    assert database.changed.wait(30)
    interval = change.end()
    assert interval is not None and interval[0] <= interval[1]
    assert database.rewrites == [("red", "xyz"), ("xyz", "red")] and database.holds == "red"


def test_a_phase_that_ends_meanwhile_has_its_row_put_back_at_once() -> None:
    database = Database()
    change = change_of(database)
    change.start()
    assert database.changed.wait(30)
    assert change.end() is not None
    assert database.holds == "red"


def test_a_phase_that_ends_before_changes_nothing() -> None:
    database = Database()
    change = change_of(database, duration_s=1e6)
    change.start()
    assert change.end() is None
    assert database.rewrites == []


def test_a_load_that_never_began_changes_nothing() -> None:
    assert change_of(Database()).end() is None


@pytest.mark.parametrize("holds", ["green", "gone"])
def test_a_row_that_is_another_or_a_server_that_is_gone_tells_nothing(holds: str) -> None:
    database = Database(holds)
    change = change_of(database)
    change.start()
    assert database.asked.wait(30)
    assert change.end() is None
    assert len(database.rewrites) == 1


def phase(kind: str, duration_s: float) -> Phase:
    return Phase(kind=cast(Any, kind), name=kind, duration_s=duration_s)


def test_only_measured_phases_that_are_long_enough_have_one() -> None:
    assert row_to_change(phase("closed", 3), "fruits", GOLDEN) is not None
    assert row_to_change(phase("open", 60), "fruits", GOLDEN) is not None
    assert row_to_change(phase("closed", 2.9), "fruits", GOLDEN) is None
    assert row_to_change(phase("warm-up", 60), "fruits", GOLDEN) is None
    assert row_to_change(phase("closed", 60), "fruits", None) is None
    assert row_to_change(phase("closed", 60), "hello", '"Hello"') is None


class RowServer:
    """A server that answers with the row as the database holds it, or as it was when it was first asked."""

    def __init__(self, database: Database, remembers: bool) -> None:
        self._database, self._remembers = database, remembers
        self._kept: str | None = None
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                body = outer.body().encode()
                self.send_response(200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *words: object) -> None: ...

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()
        self.endpoint = Endpoint(self._server.server_address[1])

    def body(self) -> str:
        now = f'{{"id":1,"description":"{self._database.holds}"}}'
        self._kept = self._kept or now
        return self._kept if self._remembers else now

    def close(self) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


@pytest.mark.parametrize("remembers", [False, True])
def test_a_row_that_the_load_does_not_ask_for_is_asked_for_by_the_harness(
    monkeypatch: pytest.MonkeyPatch, remembers: bool
) -> None:
    monkeypatch.setattr(interventions, "HELD_S", 0.01)
    monkeypatch.setattr(interventions, "K6_STARTS_S", 0.0)
    database = Database()
    server = RowServer(database, remembers)
    spec = ProbeSpec(
        name="red",
        workload="fruits",
        part="read",
        method="GET",
        path="/fruits/1",
        status=(200,),
        body=b'{"id":1,"description":"red"}',
    )
    asked = AskedRow(server.endpoint, spec, ROW)
    change = RowChange(cast(Any, database), ROW, 0.0, asked)
    change.start()
    assert database.changed.wait(30)
    assert change.end() is not None
    server.close()
    answer = asked.answer()
    assert answer is not None and answer.name == "red, changed"
    assert (answer.problem is not None) == remembers
    assert not remembers or "while its row had another text: " in str(answer.problem)


def test_of_a_row_that_was_not_changed_nothing_is_told() -> None:
    spec = ProbeSpec(name="x", workload="x", part="read", method="GET", path="/x", status=(200,), body=b'"red"')
    assert AskedRow(Endpoint(1), spec, ROW).answer() is None
