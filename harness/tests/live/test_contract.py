"""Every built subject keeps the contract: same status, body, writes and SQL work, and it says what runs."""

from __future__ import annotations

import http.client
import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, replace

import pytest

from plumbline.catalog.catalog import read_catalog
from plumbline.contract.budgets import Budget, over_budget, read_budgets
from plumbline.contract.probes import fitting, send_probes
from plumbline.host.ports import free_port
from plumbline.launch.face import Process
from plumbline.observe.readers.database import DatabaseProbe, work_between
from plumbline.run.job import Job
from plumbline.run.stage import Stage
from plumbline.run.starting import await_answers, spawn_application
from plumbline.run.workshop import Workshop
from .conftest import ROOT

CONTRACT = ROOT / "apps" / "contract"
# One of each kind of data layer. `./bench test --all` takes every variant of the tree.
USUAL = ("quarkus-rest-orm", "spring4-mvc-jpa", "vertx-pg", "control", "quarkus-hello-rest")
# The budget of the list holds for the rows of the seed, so it comes before the fruits of POST.
BUDGETS = read_budgets(CONTRACT)
REQUESTS = 25
# How event loops are called: of Vert.x and Quarkus, of Reactor Netty, of Micronaut.
LOOPS = ("vert.x-eventloop-thread", "reactor-http", "default-eventLoopGroup")
# Autovacuum looks into every database once a minute, and the server counts its transactions with the others.
OF_THE_SERVER_ITSELF = 6


@dataclass(frozen=True)
class Running:
    """A started subject."""

    job: Job
    process: Process
    port: int

    def get(self, path: str) -> bytes:
        return self.ask("GET", path, None)[1]

    def ask(self, method: str, path: str, body: str | None) -> tuple[int, bytes]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        headers = {"Content-Type": "application/json"} if body is not None else {}
        connection.request(method, path, body=body, headers=headers)
        response = connection.getresponse()
        answer = response.status, response.read()
        connection.close()
        return answer

    @property
    def has_database(self) -> bool:
        return self.job.subject.engine != "none"

    def serves(self, operation: str) -> bool:
        """Whether the variant has the operation's workload, and writes there if the operation does."""
        spec, workload = self.job.variant.spec, Budget.workload(operation)
        return workload in spec.workloads and (operation.startswith("GET") or workload not in spec.reads_only)


def subjects(every: bool) -> list[str]:
    """The plain subject of each variant that serves over HTTP, and the one with database TLS where there is one."""
    variants = read_catalog(ROOT).variants
    found = []
    for name in sorted(variants) if every else USUAL:
        spec = variants[name].spec
        if "hello" in spec.workloads:
            plain = f"{name}/jvm/{spec.engines[0]}"
            found += [plain] if spec.engines[0] == "none" else [plain, f"{plain}+db-tls=require"]
    return found


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "running" in metafunc.fixturenames:
        every = bool(metafunc.config.getoption("every_variant"))
        metafunc.parametrize("running", subjects(every), indirect=True, scope="module")


@pytest.fixture(scope="module")
def running(request: pytest.FixtureRequest, workshop: Workshop, stage: Stage) -> Iterator[Running]:
    job = workshop.job(request.param)
    if "orders" in job.variant.spec.workloads:
        job = replace(job, scenario=job.scenario.model_copy(update={"source_latency_ms": 1.0}))
    stage.database.restore()
    port = free_port()
    process = spawn_application(stage, job, port=port)
    try:
        await_answers(stage, job, process, port)
        yield Running(job, process, port)
    finally:
        process.terminate(10)
        shutil.rmtree(stage.work)
        stage.work.mkdir()


def environment(running: Running) -> dict[str, object]:
    found: dict[str, object] = json.loads(running.get("/environment"))
    return found


def test_what_runs_is_what_was_asked_for(running: Running, stage: Stage) -> None:
    found = environment(running)
    settings = running.job.settings
    assert found["pid"] == running.process.pid
    assert found["processors"] == len(stage.sets.app)
    assert found["heap_max_bytes"] == 512 * 2**20
    assert any("G1" in name for name in found["collectors"])  # type: ignore[attr-defined]
    thread = found["thread"]
    assert isinstance(thread, dict) and thread["virtual"] is (running.job.variant.spec.serves_on == "virtual")
    on_loop = running.job.variant.spec.serves_on == "event-loop"
    assert any(word in thread["name"] for word in LOOPS) is on_loop
    if not running.has_database:
        assert (found["driver"], found["pool"], found["database"], found["settings"]) == (
            None,
            None,
            None,
            {},
        )
        return
    pool = found["pool"]
    assert isinstance(pool, dict) and (pool["configured"], pool["open"]) == (20, 20)
    database = found["database"]
    assert isinstance(database, dict)
    assert database["isolation"] == "read committed"
    assert database["tls"] is (settings["db-tls"] == "require")
    assert database["tls_version"] == ("TLSv1.3" if database["tls"] else None)
    spin = {"spin": settings["spin"]} if "spin" in running.job.variant.spec.settings else {}
    assert found["settings"] == {"db_tls": settings["db-tls"], **spin}


def test_the_database_sees_the_same_connections(running: Running, stage: Stage) -> None:
    uses = DatabaseProbe(stage.database.target, settle_s=0).tls()
    assert sum(use.connections for use in uses) == (20 if running.has_database else 0)
    if not running.has_database:
        return
    encrypted = running.job.settings["db-tls"] == "require"
    assert {use.version for use in uses} == {"TLSv1.3" if encrypted else None}


def ask_for(running: Running, operation: str, start: int = 0) -> None:
    for number in range(start, start + REQUESTS):
        method, path, body = BUDGETS[operation].request(operation, number)
        status, answer = running.ask(method, path, body)
        assert status in (200, 201, 204), answer


@pytest.mark.parametrize("operation", BUDGETS)
def test_the_sql_work_meets_the_budget(running: Running, stage: Stage, operation: str) -> None:
    if not running.serves(operation):
        assert running.ask(*BUDGETS[operation].request(operation, 0))[0] in (404, 405)
        return
    # Statements and rows are counted at once, so there is nothing to wait for.
    probe = DatabaseProbe(stage.database.target, settle_s=0)
    before = probe.before()
    ask_for(running, operation)
    after = probe.after()
    assert before is not None and after is not None
    assert over_budget(work_between(operation, before, after), REQUESTS, BUDGETS[operation]) == ()
    if operation == "POST /fruits":
        assert after.table_rows["fruits"] - before.table_rows["fruits"] == REQUESTS


def test_each_operation_is_one_transaction(running: Running, stage: Stage) -> None:
    """Backends report their transactions up to ten seconds late, so this is asked of the plain subjects alone."""
    if running.job.settings["db-tls"] == "require":
        assert running.job.subject.settings == {"db-tls": "require"}
        return
    operations = [name for name in BUDGETS if running.serves(name)]
    probe = DatabaseProbe(stage.database.target)
    before = probe.before()
    for operation in operations:
        ask_for(running, operation, start=REQUESTS)
    # It runs on meanwhile: a connection that nobody used yet reports what opened it (some pools set the isolation by a
    # statement) only when it ends.
    after = probe.after()
    assert before is not None and after is not None
    done = work_between("all", before, after)
    wanted = REQUESTS * sum(BUDGETS[operation].transactions for operation in operations)
    assert wanted <= done.commits + done.rollbacks <= wanted + OF_THE_SERVER_ITSELF


def test_every_probe_gets_its_golden_answer(running: Running, workshop: Workshop, stage: Stage) -> None:
    """Last of the module's tests on a subject: its writes build on the seed, so the database is made new."""
    running_again = spawn_fresh(running, workshop, stage)
    try:
        wanted = fitting(
            stage.probes,
            serves_on=running.job.variant.spec.serves_on,
            workloads=("plumbing", *running.job.variant.spec.workloads),
            reads_only=running.job.variant.spec.reads_only,
        )
        answers = send_probes("127.0.0.1", running_again.port, wanted)
        assert len(answers) == len(wanted) >= 9
        assert {answer.name: answer.problem for answer in answers if answer.problem} == {}
        assert {answer.protocol for answer in answers} == {"HTTP/1.1"}
    finally:
        running_again.process.terminate(10)


def spawn_fresh(running: Running, workshop: Workshop, stage: Stage) -> Running:
    running.process.terminate(10)
    stage.database.restore()
    port = free_port()
    process = spawn_application(stage, running.job, port=port, log_name="again.log")
    await_answers(stage, running.job, process, port)
    return Running(running.job, process, port)
