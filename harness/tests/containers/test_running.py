"""A subject in a container stands where the plan says, has what a process has and no more, and leaves nothing."""

from __future__ import annotations

import os
import resource
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace

import pytest

from plumbline.machine.tools.container import ContainerEngine
from plumbline.measuring.launch.contained import Contained, InContainer
from plumbline.measuring.launch.supervisor import marked
from plumbline.measuring.place.contained import accounts_of
from plumbline.measuring.place.interface import QUOTA_PERIOD_US
from plumbline.measuring.run.containing import limits_of_a_process
from plumbline.measuring.run.context import Context
from plumbline.measuring.run.drivers import HttpDriver
from plumbline.measuring.run.testbed import Testbed
from plumbline.measuring.run.trial import run_trial
from plumbline.model.java import JAVA, USER
from plumbline.model.plan import Phase
from plumbline.subjects.plan.phases import scenario_of
from tests.live.checkout import PROC
from tests.live.test_standalone import Quiet

SUBJECT = "control/jvm/pg+run-in=container"
PHASES = (
    Phase(kind="start", name="start"),
    Phase(kind="probe", name="probe"),
    Phase(kind="closed", name="closed", duration_s=3.0, connections=10, saturates=True),
    Phase(kind="after", name="after"),
)
WITHIN_S = 30.0


def until(condition: Callable[[], bool], message: str) -> None:
    end_s = time.monotonic() + WITHIN_S
    while not condition():
        assert time.monotonic() < end_s, message
        time.sleep(0.05)


def text(pid: int, name: str) -> str:
    return (PROC / str(pid) / name).read_text()


def status(pid: int) -> dict[str, str]:
    return dict(line.split(":\t", 1) for line in text(pid, "status").splitlines() if ":\t" in line)


@dataclass(frozen=True)
class Up:
    """A subject that answers, and the testbed it stands on."""

    testbed: Testbed
    process: Contained


@pytest.fixture(scope="module")
def up(testbed: Testbed, context: Context) -> Iterator[Up]:
    testbed.database.restore()
    served = HttpDriver(testbed, context.job(f"{SUBJECT}+cpu-share=50"))
    process = served.start(())
    try:
        served.await_answers(process, lambda: None)
        assert isinstance(process, Contained)
        yield Up(testbed, process)
    finally:
        process.terminate(10)
        shutil.rmtree(testbed.work)
        testbed.work.mkdir()


def test_every_thread_is_on_the_cpus_of_the_application(up: Up) -> None:
    allowed = {
        tuple(sorted(os.sched_getaffinity(int(task.name)))) for task in (PROC / str(up.process.pid) / "task").iterdir()
    }
    assert allowed == {tuple(sorted(up.testbed.sets.app))}


def test_it_has_the_limits_of_a_process(up: Up) -> None:
    names = {"Max open files": "nofile", "Max processes": "nproc"}
    rows = (line.rsplit(None, 3) for line in text(up.process.pid, "limits").splitlines())
    found = {(names[name.strip()], soft, hard) for name, soft, hard, _ in rows if name.strip() in names}
    wanted = {
        (name, *("unlimited" if limit == resource.RLIM_INFINITY else str(limit) for limit in limits))
        for name, *limits in limits_of_a_process(PROC)
    }
    assert found == wanted


def test_it_is_nobody_without_rights(up: Up) -> None:
    fields = status(up.process.pid)
    uid = USER if os.geteuid() == 0 else os.geteuid()
    assert set(fields["Uid"].split()) == {str(uid)}
    assert (int(fields["CapEff"], 16), fields["NoNewPrivs"]) == (0, "1")


def test_it_has_the_hosts_network_and_a_read_only_root_of_its_own(up: Up) -> None:
    own, contained = ((PROC / name / "ns") for name in ("self", str(up.process.pid)))
    assert os.readlink(own / "net") == os.readlink(contained / "net")
    assert os.readlink(own / "mnt") != os.readlink(contained / "mnt")
    (root,) = (line.split()[5] for line in text(up.process.pid, "mountinfo").splitlines() if line.split()[4] == "/")
    assert "ro" in root.split(",")


def test_its_share_of_the_cpus_is_the_quota_of_its_group_and_memory_has_no_limit(up: Up) -> None:
    groups = {*accounts_of(PROC, up.process.pid, up.process.container).values()}

    def found(*names: str) -> list[str]:
        return [(group / name).read_text() for group in groups for name in names if (group / name).exists()]

    wanted = round(0.5 * len(up.testbed.sets.app) * QUOTA_PERIOD_US)
    assert [int(content.split()[0]) for content in found("cpu.max", "cpu.cfs_quota_us")] == [wanted]
    (memory,) = found("memory.max", "memory.limit_in_bytes")
    assert memory.strip() == "max" or int(memory) >= os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def test_a_trial_is_placed_counted_and_leaves_nothing(
    context: Context, testbed: Testbed, containers: ContainerEngine
) -> None:
    job = context.job(SUBJECT, "fruits")
    _, suite = context.catalog.suite(None)
    scenario = scenario_of("fruits", context.catalog.scenario("fruits"), suite)
    scenario = scenario.of_control.model_copy(update={"phases": PHASES})
    evidence = run_trial(testbed, replace(job, scenario=scenario), Quiet())
    assert evidence.failure is None, evidence.failure
    app = next(process for process in evidence.processes if process.role == "app")
    assert app.command_line[0] == str(JAVA)
    assert (app.exit_code, app.ended_early) == (143, False)
    assert {(row.pid, row.outside) for row in evidence.affinity if row.role == "app"} == {(app.pid, 0)}
    for column in ("cpu.app.user_us", "app.memory_peak_bytes"):
        assert any(value for value in evidence.series.columns[column] if value is not None), column
    (closed,) = evidence.load
    assert closed.completed > 0 and closed.failed == closed.checks_failed == 0
    assert evidence.left_behind == ()
    until(lambda: not containers.of_sessions(), "the container is left")


def test_what_it_left_behind_ends_with_its_container(
    context: Context, testbed: Testbed, containers: ContainerEngine
) -> None:
    """A child in a session of its own, which outlives the first process of the container."""
    image = context.job(SUBJECT).image
    assert image is not None and testbed.containers is not None
    words = ("/bin/sh", "-c", "setsid sleep 987 & exec sleep 987")
    asked = InContainer(image=image.sha256, argv=words, env={}, cpus=testbed.sets.app)
    process = testbed.containers.start(testbed.spawner, asked, cwd=testbed.work, stdout=testbed.work / "app.log")
    process.wait_until_known()
    until(lambda: len(sleepers(testbed.session)) == 2, "they never slept")
    process.terminate(10)
    until(lambda: not sleepers(testbed.session), "one is left")
    until(lambda: not containers.of_sessions(), "the container is left")


def sleepers(session: str) -> list[int]:
    pids = []
    for pid in marked.parents(PROC):
        with suppress(OSError):
            if marked.session_of(PROC, pid) == session and text(pid, "cmdline") == "sleep\0987\0":
                pids.append(pid)
    return pids
