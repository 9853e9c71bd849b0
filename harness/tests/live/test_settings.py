"""Settings that every framework has in words of its own: what was asked for is what runs, seen from both ends."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from plumbline.catalog.catalog import read_catalog
from plumbline.launch.dial import Dial
from plumbline.launch.http_once import get_status
from plumbline.model.plan import Phase
from plumbline.run.served import Served
from plumbline.run.stage import Stage
from plumbline.run.told import Told
from plumbline.run.workshop import Workshop

ROOT = Path(__file__).resolve().parents[3]
# One of each server. `--every-variant` takes every variant of the tree.
USUAL = ("quarkus-hello-rest", "micronaut-hello", "spring4-mvc-jpa", "spring4-webflux-r2dbc", "vertx-pg")
CIPHER = "TLS_AES_128_GCM_SHA256"


def subjects(every: bool) -> list[str]:
    """Every variant over TLS, on virtual threads as well where it has the switch."""
    found = []
    for name, variant in sorted(read_catalog(ROOT).variants.items()):
        spec = variant.spec
        if "http-tls" in spec.settings and (every or name in USUAL):
            threads = "+threads=virtual" if "threads" in spec.settings else ""
            found.append(f"{name}/jvm/{spec.engines[0]}+http-tls=on{threads}")
    return found


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "over_tls" in metafunc.fixturenames:
        every = bool(metafunc.config.getoption("every_variant"))
        metafunc.parametrize("over_tls", subjects(every), indirect=True, scope="module")


@pytest.fixture(scope="module")
def over_tls(
    request: pytest.FixtureRequest, workshop: Workshop, stage: Stage
) -> Iterator[tuple[Served, int]]:
    job = workshop.job(request.param, "hello")
    stage.database.restore()
    served = Served(stage, job)
    process = served.start(())
    try:
        served.await_answers(process, lambda: None)
        yield served, process.pid
    finally:
        process.terminate(10)
        shutil.rmtree(stage.work)
        stage.work.mkdir()


def test_what_was_asked_for_is_what_runs(over_tls: tuple[Served, int]) -> None:
    served, pid = over_tls
    found = served.environment(lambda: None)
    assert found is not None and found["pid"] == pid
    assert found["settings"]["http_tls"] == "on"
    assert served.http_tls is not None
    assert (served.http_tls.version, served.http_tls.cipher) == ("TLSv1.3", CIPHER)
    if "threads" in served.job.variant.spec.settings:
        assert found["settings"]["threads"] == "virtual"
        assert found["thread"]["virtual"] is True


def test_answers_are_the_golden_ones_over_tls(over_tls: tuple[Served, int]) -> None:
    served, _ = over_tls
    probes = served.probes(lambda: None)
    assert probes
    assert [(probe.name, probe.problem) for probe in probes if probe.problem is not None] == []
    assert {probe.protocol for probe in probes} == {"HTTP/1.1"}


def test_nothing_is_served_without_tls(over_tls: tuple[Served, int]) -> None:
    served, _ = over_tls
    end_s = time.monotonic() + 5
    assert get_status(Dial(served.port), "/health", end_s=end_s, alive=lambda: True) != 200


def test_k6_loads_it_over_tls(over_tls: tuple[Served, int]) -> None:
    served, _ = over_tls
    phase = Phase(kind="closed", name="closed", duration_s=2, connections=10)
    result = served.load(phase, lambda pids, address: None, lambda: None).result
    assert result.requests > 100
    assert result.failed == result.checks_failed == result.connect_errors == 0


@pytest.mark.parametrize(
    ("variant", "api", "warm_up", "contact"),
    [
        # What a server without a warm-up does with the first twenty requests is study 001's finding, and no contract.
        ("spring4-webflux-r2dbc", "connection", "on", Served),
        ("standalone-r2dbc", "client", "off", Told),
    ],
)
def test_the_permutations_of_r2dbc_run_and_answer(
    workshop: Workshop,
    stage: Stage,
    variant: str,
    api: str,
    warm_up: str,
    contact: type[Served] | type[Told],
) -> None:
    asked = {"pool-initial": "half", "pool-warm-up": warm_up, "r2dbc-api": api, "r2dbc-loops": "own"}
    settings = "".join(f"+{name}={value}" for name, value in asked.items())
    job = workshop.job(f"{variant}/jvm/pg{settings}", "companies-t1")
    stage.database.restore()
    running = contact(stage, job)
    process = running.start(())
    try:
        running.await_answers(process, lambda: None)
        found = running.environment(lambda: None)
        assert found is not None
        assert {name.replace("-", "_"): value for name, value in asked.items()}.items() <= found[
            "settings"
        ].items()
        probes = running.probes(lambda: None)
        assert probes
        assert [(probe.name, probe.problem) for probe in probes if probe.problem is not None] == []
    finally:
        running.close()
        process.terminate(10)
        shutil.rmtree(stage.work)
        stage.work.mkdir()
