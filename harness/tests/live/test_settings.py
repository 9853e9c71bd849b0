"""Settings that every framework names in its own words: what was asked for is what runs, seen from both ends."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import pytest

from plumbline.measuring.conformance.suite import TUNED, Extent, check_conformance
from plumbline.measuring.run.context import Context
from plumbline.measuring.run.drivers import HttpDriver, ProgramDriver
from plumbline.measuring.run.testbed import Testbed
from plumbline.model.host import CpuSets
from plumbline.model.plan import Phase
from plumbline.subjects.catalog.catalog import read_catalog
from plumbline.verdicts.contract.endpoint import Endpoint, get_status
from .conftest import every_cpu_for_app

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[3]
# Servers of several kinds. `--every-variant` takes every variant of the tree.
USUAL = ("quarkus-hello-rest", "micronaut-hello", "spring4-mvc-jpa", "spring4-webflux-r2dbc", "vertx-pg")
# One variant of each framework that has tuned files.
USUAL_TUNED = ("quarkus-rest-orm", "spring4-mvc-jpa", "vertx-pg")
USUAL_PIPELINED = ("vertx-pg",)
CIPHER = "TLS_AES_128_GCM_SHA256"
# Names of threads that serve, as the kernel keeps them: of Tomcat (of its acceptor and its poller too) and of Quarkus.
WORKERS = ("http-nio-", "executor-thread")
NO_WORKERS = 2

Running = TypeVar("Running", bound=HttpDriver | ProgramDriver)


def subjects(every: bool) -> list[str]:
    """Every variant over TLS, on virtual threads as well where the variant has the switch."""
    names = []
    for name, variant in sorted(read_catalog(ROOT).variants.items()):
        spec = variant.spec
        if "http-tls" in spec.settings and (every or name in USUAL):
            threads = "+threads=virtual" if "threads" in spec.settings else ""
            names.append(f"{name}/jvm/{spec.engines[0]}+http-tls=on{threads}")
    return names


def tuned_subjects(every: bool) -> list[str]:
    """Every server that has a tuned file, tuned; on virtual threads as well where the server has the switch."""
    names = []
    for name, variant in sorted(read_catalog(ROOT).variants.items()):
        spec = variant.spec
        if "tuned" in spec.settings.get("profile", ()) and spec.serves_on != "cli" and (every or name in USUAL_TUNED):
            names.append(f"{name}/jvm/{spec.engines[0]}{TUNED}")
            if every and "threads" in spec.settings:
                names.append(f"{names[-1]}+threads=virtual")
    return names


def pipelined_subjects(every: bool) -> list[str]:
    """Every variant that has the setting of pipelining, with that setting on."""
    return [
        f"{name}/jvm/{variant.spec.engines[0]}+pipelining=on"
        for name, variant in sorted(read_catalog(ROOT).variants.items())
        if "pipelining" in variant.spec.settings and (every or name in USUAL_PIPELINED)
    ]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    every = bool(metafunc.config.getoption("every_variant"))
    for fixture, subjects_of in (("over_tls", subjects), ("tuned", tuned_subjects)):
        if fixture in metafunc.fixturenames:
            metafunc.parametrize(fixture, subjects_of(every), indirect=True, scope="module")
    if "pipelined" in metafunc.fixturenames:
        metafunc.parametrize("pipelined", pipelined_subjects(every))


@pytest.fixture(scope="module")
def sets(context: Context) -> CpuSets:
    """The application has every CPU: starts take longest here, and nothing is measured."""
    return every_cpu_for_app(context)


@contextmanager
def started(
    driver: type[Running], context: Context, testbed: Testbed, subject: str, scenario: str
) -> Iterator[tuple[Running, int]]:
    """Start a subject; yield its driver and its process id once it answers."""
    job = context.job(subject, scenario)
    testbed.database.restore()
    running = driver(testbed, job)
    process = running.start(())
    try:
        running.await_answers(process, lambda: None)
        yield running, process.pid
    finally:
        running.close()
        process.terminate(10)
        shutil.rmtree(testbed.work)
        testbed.work.mkdir()


@pytest.fixture(scope="module")
def over_tls(request: pytest.FixtureRequest, context: Context, testbed: Testbed) -> Iterator[tuple[HttpDriver, int]]:
    with started(HttpDriver, context, testbed, request.param, "hello") as running:
        yield running


@pytest.fixture(scope="module")
def tuned(request: pytest.FixtureRequest, context: Context, testbed: Testbed) -> Iterator[tuple[HttpDriver, int]]:
    with started(HttpDriver, context, testbed, request.param, "fruits") as running:
        yield running


def test_what_was_asked_for_is_what_runs(over_tls: tuple[HttpDriver, int]) -> None:
    served, pid = over_tls
    environment = served.environment(lambda: None)
    assert environment is not None and environment["pid"] == pid
    assert environment["settings"]["http_tls"] == "on"
    assert served.http_tls is not None
    assert (served.http_tls.version, served.http_tls.cipher) == ("TLSv1.3", CIPHER)
    if "threads" in served.job.variant.spec.settings:
        assert environment["settings"]["threads"] == "virtual"
        assert environment["thread"]["virtual"] is True


def test_answers_are_the_golden_ones_over_tls(over_tls: tuple[HttpDriver, int]) -> None:
    served, _ = over_tls
    probes = served.probes(lambda: None)
    assert probes
    assert [(probe.name, probe.problem) for probe in probes if probe.problem is not None] == []
    assert {probe.protocol for probe in probes} == {"HTTP/1.1"}


def test_nothing_is_served_without_tls(over_tls: tuple[HttpDriver, int]) -> None:
    served, _ = over_tls
    end_s = time.monotonic() + 5
    assert get_status(Endpoint(served.port), "/health", end_s=end_s, alive=lambda: True) != 200


def test_k6_loads_it_over_tls(over_tls: tuple[HttpDriver, int]) -> None:
    served, _ = over_tls
    phase = Phase(kind="closed", name="closed", duration_s=2, connections=10)
    result = served.load(phase, lambda pids, address: None, lambda: None).result
    assert result.requests > 100
    assert result.failed == result.checks_failed == result.connect_errors == 0


def test_what_is_tuned_is_what_runs(tuned: tuple[HttpDriver, int]) -> None:
    """The objects that the file sets show that the subject is tuned, and its answers stay the same."""
    served, _ = tuned
    environment = served.environment(lambda: None)
    assert environment is not None and environment["settings"]["profile"] == "tuned"
    probes = served.probes(lambda: None)
    assert probes
    assert [(probe.name, probe.problem) for probe in probes if probe.problem is not None] == []


def test_no_more_threads_than_connections_serve_what_is_tuned(tuned: tuple[HttpDriver, int]) -> None:
    """In parity a hundred connections are served by a hundred threads, or by two loops a processor."""
    served, pid = tuned
    phase = Phase(kind="closed", name="closed", duration_s=2, connections=100)
    result = served.load(phase, lambda pids, address: None, lambda: None).result
    assert result.requests > 100
    assert result.failed == result.checks_failed == result.connect_errors == 0
    environment = served.environment(lambda: None)
    assert environment is not None
    if served.job.variant.spec.serves_on == "event-loop":
        assert environment["loops"] == {"count": environment["processors"], "transport": "native"}
        return
    names = [(task / "comm").read_text() for task in Path(f"/proc/{pid}/task").iterdir()]
    workers, pool = sum(name.startswith(WORKERS) for name in names), int(served.job.settings["pool"])
    assert workers <= pool + NO_WORKERS
    assert environment["thread"]["virtual"] or workers >= pool


def test_pipelining_spares_transactions_the_wait_for_begin(context: Context, testbed: Testbed, pipelined: str) -> None:
    """The contract is kept as without it: answers, statements, transactions, a lost database, and under load.

    Batches begin no transaction.
    """
    plain, _ = pipelined.split("+")
    parts = list(check_conformance(testbed, context, pipelined))
    assert [(part.name, part.problems) for part in parts if part.problems] == []
    (usual,) = check_conformance(testbed, context, plain, Extent(round_trips=True))
    (trips,) = [part.trips for part in parts if part.trips]
    spared = {operation: count - trips[operation] for operation, count in usual.trips.items()}
    assert spared == {operation: pytest.approx(0 if "benchmark" in operation else 1, abs=0.3) for operation in spared}


@pytest.mark.parametrize(
    ("variant", "api", "warm_up", "driver"),
    [
        # What a server without a warm-up does with the first twenty requests is study 001's finding, and no contract.
        ("spring4-webflux-r2dbc", "connection", "on", HttpDriver),
        ("standalone-r2dbc", "client", "off", ProgramDriver),
    ],
)
def test_the_permutations_of_r2dbc_run_and_answer(
    context: Context,
    testbed: Testbed,
    variant: str,
    api: str,
    warm_up: str,
    driver: type[HttpDriver] | type[ProgramDriver],
) -> None:
    asked = {"pool-initial": "half", "pool-warm-up": warm_up, "r2dbc-api": api, "r2dbc-loops": "own"}
    settings = "".join(f"+{name}={value}" for name, value in asked.items())
    with started(driver, context, testbed, f"{variant}/jvm/pg{settings}", "companies-t1") as (running, _):
        environment = running.environment(lambda: None)
        assert environment is not None
        assert {name.replace("-", "_"): value for name, value in asked.items()}.items() <= environment[
            "settings"
        ].items()
        probes = running.probes(lambda: None)
        assert probes
        assert [(probe.name, probe.problem) for probe in probes if probe.problem is not None] == []
