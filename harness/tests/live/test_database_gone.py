"""While the database is gone an application says 503 in time, and it recovers by itself when the database is back."""

from __future__ import annotations

import http.client
import json
import time
from collections.abc import Iterator
from dataclasses import replace

import pytest

from plumbline.catalog.catalog import read_catalog
from plumbline.host.ports import free_port
from plumbline.run.stage import Stage
from plumbline.run.starting import await_answers, spawn_application
from plumbline.run.workshop import Workshop
from .conftest import ROOT
from .proxy import Door

# One of each kind of data layer. `./bench test --all` takes every variant of the tree.
USUAL = ("control", "quarkus-rest-orm", "vertx-pg")
ANSWER_S = 5.0
BACK_S = 10.0


class Behind:
    """The database as it is, reached through the door."""

    def __init__(self, stage: Stage, door: Door) -> None:
        self._stage = stage
        self.address = replace(stage.database.address, host="127.0.0.1", port=door.port)

    def __getattr__(self, name: str) -> object:
        return getattr(self._stage.database, name)


def subjects(every: bool) -> list[str]:
    """The plain subject of each variant whose fruits lie in PostgreSQL."""
    variants = read_catalog(ROOT).variants
    names = sorted(variants) if every else USUAL
    fits = [
        name
        for name in names
        if {"fruits", "pg"} <= {*variants[name].spec.workloads, *variants[name].spec.engines}
    ]
    return [f"{name}/jvm/pg" for name in fits]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "served" in metafunc.fixturenames:
        every = bool(metafunc.config.getoption("every_variant"))
        metafunc.parametrize("served", subjects(every), indirect=True, scope="module")


@pytest.fixture(scope="module")
def served(request: pytest.FixtureRequest, workshop: Workshop, stage: Stage) -> Iterator[tuple[int, Door]]:
    stage.database.restore()
    address = stage.database.address
    with Door((address.host, address.port)) as door:
        behind = replace(stage, database=Behind(stage, door))  # type: ignore[arg-type]
        job, port = workshop.job(request.param), free_port()
        process = spawn_application(behind, job, port=port)
        try:
            await_answers(behind, job, process, port)
            yield port, door
        finally:
            process.terminate(10)


def ask(port: int) -> tuple[int, bytes, float]:
    began = time.monotonic()
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=2 * ANSWER_S)
    connection.request("GET", "/fruits")
    response = connection.getresponse()
    answer = response.status, response.read(), time.monotonic() - began
    connection.close()
    return answer


def test_gone_and_back(served: tuple[int, Door]) -> None:
    port, door = served
    assert ask(port)[0] == 200
    door.shut()
    for _ in range(3):
        status, body, took_s = ask(port)
        assert status == 503 and took_s < ANSWER_S
        assert json.loads(body)["detail"] == "The database does not answer."
    door.open_again()
    until = time.monotonic() + BACK_S
    while ask(port)[0] != 200:
        assert time.monotonic() < until, "it did not recover"
        time.sleep(0.1)
