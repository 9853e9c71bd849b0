"""A subject in a container, by an engine that stands in for podman: image, start, load, stop, and nothing is left."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace

import pytest

from plumbline.measuring.launch.contained import Containers
from plumbline.measuring.run.context import Context
from plumbline.measuring.run.drivers import HttpDriver
from plumbline.measuring.run.testbed import Testbed
from plumbline.measuring.run.trial import run_trial
from plumbline.model.plan import Phase
from plumbline.subjects.plan.phases import scenario_of
from tests.engines import StandIn, stand_in
from .test_standalone import Quiet

pytestmark = pytest.mark.slow

PHASES = (
    Phase(kind="start", name="start"),
    Phase(kind="probe", name="probe"),
    Phase(kind="closed", name="closed", duration_s=3.0, connections=10, saturates=True),
    Phase(kind="after", name="after"),
)


@pytest.fixture(scope="module")
def podman(context: Context) -> Iterator[StandIn]:
    with stand_in(context.jdk.java) as opened:
        yield opened


@pytest.fixture(scope="module")
def with_podman(context: Context, podman: StandIn) -> Context:
    path = f"{podman.folder}:{context.environ['PATH']}"
    changed = replace(context, environ={**context.environ, "PATH": path})
    # Sets that are planned anew would be of the CPUs to which the testbed holds this process by now.
    changed.__dict__["sets"] = context.sets
    return changed


@pytest.fixture
def its_testbed(testbed: Testbed, podman: StandIn) -> Iterator[Testbed]:
    containers = Containers(podman.engine, testbed.session)
    yield replace(testbed, containers=containers)
    containers.close()
    shutil.rmtree(testbed.work)
    testbed.work.mkdir()


def test_a_trial_in_a_container(with_podman: Context, its_testbed: Testbed, podman: StandIn) -> None:
    job = with_podman.job("control/jvm/pg+run-in=container", "fruits")
    _, suite = with_podman.catalog.suite(None)
    scenario = scenario_of("fruits", with_podman.catalog.scenario("fruits"), suite)
    scenario = scenario.of_control.model_copy(update={"phases": PHASES})
    evidence = run_trial(its_testbed, replace(job, scenario=scenario), Quiet())
    assert evidence.failure is None, evidence.failure
    assert job.image is not None and [path.stem for path in podman.state.glob("images/*.json")] == [job.image.sha256]
    app = next(process for process in evidence.processes if process.role == "app")
    assert app.command_line[0] == "/opt/java/openjdk/bin/java" and "app.jar" in app.command_line
    assert app.environment["PLUMBLINE_SESSION"] == its_testbed.session and app.environment["LC_ALL"] == "C.UTF-8"
    assert evidence.environment is not None and evidence.environment["pid"] == app.pid
    assert (app.exit_code, app.ended_early) == (143, False)
    assert {(row.pid, row.outside) for row in evidence.affinity if row.role == "app"} == {(app.pid, 0)}
    spent = [value for value in evidence.series.columns["cpu.app.user_us"] if value is not None]
    assert spent[-1] > 0
    assert evidence.start is not None and evidence.start.rss_idle_bytes is not None
    assert [(probe.name, probe.problem) for probe in evidence.probes if probe.problem is not None] == []
    (closed,) = evidence.load
    assert closed.completed > 0 and closed.failed == closed.checks_failed == 0
    assert (its_testbed.work / "gc.log").stat().st_size > 0
    assert podman.containers() == []


def test_files_of_settings_are_there_for_the_images_user(
    with_podman: Context, its_testbed: Testbed, podman: StandIn
) -> None:
    name = "vertx-pg/jvm/pg+db-tls=require+heap=128m+http-tls=on+run-in=container"
    job = with_podman.job(name, "hello")
    its_testbed.database.restore()
    served = HttpDriver(its_testbed, job)
    process = served.start(())
    try:
        served.await_answers(process, lambda: None)
        (running,) = podman.containers()
        assert process.pid == running["pid"]
        environment = served.environment(lambda: None)
        assert environment is not None and environment["pid"] == process.pid
        settings = environment["settings"]
        assert (settings["db_tls"], settings["http_tls"]) == ("require", "on")
        assert served.http_tls is not None and served.http_tls.version == "TLSv1.3"
    finally:
        process.terminate(10)
    assert podman.containers() == []
