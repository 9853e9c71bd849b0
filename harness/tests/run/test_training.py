"""The training of an AOT cache: the load generator's own requests of every scenario, writes too."""

from __future__ import annotations

import http.client
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from plumbline.measuring.load.params import Target
from plumbline.measuring.load.summary import LoadFailed
from plumbline.measuring.run import prepare as module
from plumbline.measuring.run.job import Job
from plumbline.measuring.run.prepare import CONNECTIONS, REQUESTS, train
from plumbline.model.errors import AnswerIsNo
from plumbline.model.plan import Phase, Scenario


def scenario(name: str, operation: str, **changes: Any) -> Scenario:
    fields = {
        "name": name,
        "version": 1,
        "workload": "fruits",
        "script": "fruits.ts",
        "operation": operation,
        "uses_database": True,
        "phases": (),
    }
    return Scenario.model_validate({**fields, **changes})


READS = scenario("fruits", "GET /fruits")
WRITES = scenario("fruits-mix", "GET /fruits/{name} (5% POST)")
ORDERS = scenario("orders", "POST /orders", workload="orders", source_latency_ms=5.0)


@dataclass
class LoadGenerator:
    """A k6 that notes the loads that it was told to send; `failed` of the requests of each fail."""

    failed: int = 0
    breaks: bool = False
    sent: list[tuple[Phase, Scenario, Target, int]] = field(default_factory=list)
    folders: set[Path] = field(default_factory=set)

    def run(self, phase: Phase, requested: Scenario, target: Target, *, folder: Path, requests: int, **_: Any) -> Any:
        self.folders.add(folder)
        if self.breaks:
            raise LoadFailed("died", "k6 ended with status 107.")
        self.sent.append((phase, requested, target, requests))
        return SimpleNamespace(result=SimpleNamespace(requests=requests, failed=self.failed))


@dataclass
class Process:
    """An application that writes its cache, or something else, when it is told to end."""

    trained: Path
    leave: Callable[[Path], object]

    def terminate(self, wait_s: float) -> None:
        self.leave(self.trained)


@dataclass
class Endpoint:
    """An application that answers every request, or ends the connection by `error`."""

    error: Exception | None = None
    url: str = "http://127.0.0.1:1"
    tls: None = None

    def connection(self, limit_s: float) -> Any:
        return self

    def request(self, method: str, path: str) -> None:
        if self.error is not None:
            raise self.error

    def getresponse(self) -> Any:
        return SimpleNamespace(read=bytes)

    def close(self) -> None:
        pass


@pytest.fixture
def spawned(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[Scenario]:
    """The scenarios for which an application was started."""
    scenarios: list[Scenario] = []

    def spawn(testbed: Any, job: Job, *, extra: tuple[str, ...], **_: Any) -> Process:
        scenarios.append(job.scenario)
        trained = Path(extra[-1].removeprefix("-XX:AOTCacheOutput="))
        assert trained.parent == testbed.work
        return Process(trained, testbed.leave)

    monkeypatch.setattr(module, "spawn_application", spawn)
    monkeypatch.setattr(module, "await_answers", lambda *_: None)
    monkeypatch.setattr(module, "endpoint_of", lambda *_: Endpoint())
    return scenarios


def a_cache(trained: Path) -> None:
    trained.write_bytes(b"cache")


def a_link(trained: Path) -> None:
    trained.symlink_to("/etc/hostname")


def a_large_file(trained: Path) -> None:
    trained.touch()
    os.truncate(trained, module.MOST_CACHE_BYTES + 1)


def trained(folder: Path, k6: LoadGenerator, *scenarios: Scenario, leave: Callable[[Path], object] = a_cache) -> Any:
    (folder / "work").mkdir()
    testbed: Any = SimpleNamespace(
        k6=k6, work=folder / "work", private=folder / "private", free_port=lambda: 1, leave=leave
    )
    subject: Any = SimpleNamespace(id="vertx-pg/aot/pg")
    unknown: Any = None
    job = Job(unknown, READS, subject, unknown, unknown, {}, unknown)
    return train(testbed, job, folder / "its.aot", scenarios)


def test_a_cache_is_trained_by_the_requests_of_every_scenario(spawned: list[Scenario], tmp_path: Path) -> None:
    k6 = LoadGenerator()
    training = trained(tmp_path, k6, READS, WRITES)
    assert (training.subject, training.size_bytes) == ("vertx-pg/aot/pg", 5)
    # Both k6's files and the cache are where no application writes, and the cache is no log.
    assert k6.folders == {tmp_path / "private"}
    assert (tmp_path / "its.aot").read_bytes() == b"cache" and not list((tmp_path / "work").iterdir())
    assert spawned == [READS]
    assert [(sent, requests) for _, sent, _, requests in k6.sent] == [(READS, REQUESTS), (WRITES, REQUESTS)]
    assert {phase.connections for phase, _, _, _ in k6.sent} == {CONNECTIONS}
    # k6 names its files after the phase.
    assert len({phase.name for phase, _, _, _ in k6.sent}) == 2
    # Rows that one scenario adds make no answer to the other a wrong one.
    assert {target.golden for _, _, target, _ in k6.sent} == {None}


def test_the_sources_of_orders_are_there_whatever_is_asked_first(spawned: list[Scenario], tmp_path: Path) -> None:
    k6 = LoadGenerator()
    trained(tmp_path, k6, READS, ORDERS)
    assert spawned == [ORDERS]
    assert [sent for _, sent, _, _ in k6.sent] == [READS, ORDERS]


@pytest.mark.parametrize(
    ("k6", "said"),
    [
        (LoadGenerator(failed=3), "3 of 300 requests of fruits@1 failed"),
        (LoadGenerator(breaks=True), "k6 ended with status 107."),
    ],
)
def test_no_cache_is_used_that_failing_requests_trained(
    k6: LoadGenerator, said: str, spawned: list[Scenario], tmp_path: Path
) -> None:
    with pytest.raises(AnswerIsNo, match=said):
        trained(tmp_path, k6, READS)
    assert len(spawned) == 1
    assert not (tmp_path / "its.aot").exists() and not list((tmp_path / "work").iterdir())


@pytest.mark.parametrize(
    ("leave", "said"),
    [
        (Path.mkdir, "left no AOT cache"),
        (os.mkfifo, "left no AOT cache"),
        (a_link, "left no"),
        (a_large_file, "more than"),
    ],
)
def test_no_cache_is_what_else_an_application_leaves(
    leave: Callable[[Path], object], said: str, spawned: list[Scenario], tmp_path: Path
) -> None:
    with pytest.raises(AnswerIsNo, match=said):
        trained(tmp_path, LoadGenerator(), READS, leave=leave)
    assert spawned == [READS] and not (tmp_path / "its.aot").exists()


@pytest.mark.parametrize("error", [ConnectionResetError("reset"), http.client.RemoteDisconnected("no answer")])
def test_an_application_that_does_not_say_its_environment_has_no_cache(
    error: Exception, spawned: list[Scenario], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "endpoint_of", lambda *_: Endpoint(error))
    with pytest.raises(AnswerIsNo, match=r"GET /environment was not answered while the AOT cache was trained"):
        trained(tmp_path, LoadGenerator(), READS)
