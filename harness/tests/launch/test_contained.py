"""A process in a container, by an engine that stands in for podman: its pid, its end, and that it is removed."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from plumbline.machine.host.kernel import allowed_cpus
from plumbline.machine.tools.running import CommandOutput
from plumbline.measuring.launch.contained import Containers, InContainer, Mount
from plumbline.measuring.launch.supervisor import marked
from plumbline.model.errors import AnswerIsNo
from plumbline.model.java import JAVA
from tests.engines import StandIn, stand_in
from tests.processes import PlainSpawner
from .spawning import PROC, is_there, line_of, until

CPU = allowed_cpus(PROC)[-1]
SERVES = "#!/bin/sh\ntrap 'exit 143' TERM\necho \"$GREETING $1 in $(pwd)\"\nwhile :; do sleep 0.01; done\n"
RESISTS = "#!/bin/sh\ntrap '' TERM\necho ready\nwhile :; do sleep 0.01; done\n"


def request_for(image: str, **changes: object) -> InContainer:
    defaults = {"image": image, "argv": ("/app/program", "you"), "env": {"GREETING": "Hello"}, "cpus": (CPU,)}
    return InContainer(**{**defaults, **changes})  # type: ignore[arg-type]


@pytest.fixture
def podman() -> Iterator[StandIn]:
    with stand_in(Path("/bin/sleep")) as engine:
        yield engine


@pytest.fixture
def spawner() -> Iterator[PlainSpawner]:
    plain = PlainSpawner()
    yield plain
    assert all(client.wait(10) is not None for client in plain.started)


@pytest.fixture
def containers(podman: StandIn, spawner: PlainSpawner) -> Iterator[Containers]:
    started = Containers(podman.engine, "test-session")
    yield started
    started.close()


def test_the_command_line_says_all_but_values() -> None:
    request = InContainer(
        image="a" * 64,
        argv=("/opt/java/openjdk/bin/java", "-Xmx512m", "-jar", "app.jar"),
        env={"HTTP_PORT": "8081", "DB_PASSWORD": "secret"},
        cpus=(2, 3),
        nodes=(0, 1),
        limit=1.5,
        mounts=(Mount(Path("/scratch/work"), writable=True), Mount(Path("/ca.pem"))),
        user=("--user", "1000:1000"),
        parent=("--cgroup-parent", "plumbline.slice"),
        limits=(("nofile", 1024, -1),),
    )
    assert request.words(("/usr/bin/docker", "--log-level", "error"), "plumbline-x", "20260102T030405Z-lab-abc123") == [
        *("/usr/bin/docker", "--log-level", "error", "run", "--rm", "--pull=never", "--name", "plumbline-x"),
        *("--label", "plumbline.session=20260102T030405Z-lab-abc123"),
        *("--network", "host", "--pid", "host", "--pids-limit", "-1"),
        *("--log-driver", "none", "--read-only", "--cap-drop", "ALL"),
        *("--security-opt", "no-new-privileges", "--security-opt", "label=disable", "--user", "1000:1000"),
        *("--cgroup-parent", "plumbline.slice"),
        *("--cpuset-cpus", "2,3", "--cpuset-mems", "0,1", "--cpu-period", "20000", "--cpu-quota", "30000"),
        *("--ulimit", "nofile=1024:-1"),
        *("--mount", "type=bind,source=/scratch/work,target=/scratch/work"),
        *("--mount", "type=bind,source=/ca.pem,target=/ca.pem,readonly"),
        *("--env", "DB_PASSWORD", "--env", "HTTP_PORT", "--env", marked.MARK),
        *("--entrypoint", "/opt/java/openjdk/bin/java", "a" * 64, "-Xmx512m", "-jar", "app.jar"),
    ]


def test_all_of_its_cpus_time_is_no_quota_and_all_nodes_are_no_limit() -> None:
    limits = ("--cpu-", "--cpuset-mems")
    assert not any(word.startswith(limits) for word in request_for("a").words(("podman",), "x", "s"))


def test_it_is_the_process_of_the_container_and_ends_with_its_status(
    podman: StandIn, containers: Containers, spawner: PlainSpawner, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    process = containers.start(spawner, request_for(podman.image(SERVES)), cwd=tmp_path, stdout=log)
    assert line_of(log).startswith("Hello you in ")
    pid = process.pid
    (container,) = podman.containers()
    assert (pid, process.container, process.seen_pid(PROC)) == (container["pid"], container["id"], pid)
    assert pid != spawner.started[0].pid
    assert os.sched_getaffinity(pid) == {CPU}
    ((role, argv, env),) = spawner.calls
    # The application keeps its CPUs to itself: the client runs where the harness does.
    assert role == "harness" and env["GREETING"] == "Hello" and "Hello" not in argv
    assert process.poll() is None and process.wait(0.01) is None
    assert process.terminate(5) == 143
    assert process.poll() == 143 and podman.containers() == [] and not is_there(pid)


def test_its_process_is_seen_before_the_engine_names_it(podman: StandIn, spawner: PlainSpawner, tmp_path: Path) -> None:
    engine, image = podman.engine, podman.image(SERVES)

    def run(argv: Sequence[str], **words: Any) -> CommandOutput:
        return CommandOutput(125, "") if "inspect" in argv else engine.run(argv, **words)

    testbed = Containers(replace(engine, run=run), "test-session")
    first, second = (
        testbed.start(
            spawner,
            request_for(image, argv=(str(JAVA), "60"), env={"HTTP_PORT": port}),
            cwd=tmp_path,
            stdout=tmp_path / "log",
        )
        for port in ("8081", "8082")
    )
    until(lambda: len(podman.containers()) == 2)
    until(lambda: first.seen_pid(PROC) is not None and second.seen_pid(PROC) is not None)
    pids = {"8081": first.seen_pid(PROC), "8082": second.seen_pid(PROC)}
    for port, pid in pids.items():
        assert f"HTTP_PORT={port}".encode() in (PROC / str(pid) / "environ").read_bytes().split(b"\0")
    for process in (first, second):
        process.terminate(5)


def test_the_engine_is_asked_nothing_while_the_application_starts(
    podman: StandIn, spawner: PlainSpawner, tmp_path: Path
) -> None:
    engine = podman.engine
    asked: list[tuple[str, ...]] = []

    def run(argv: Sequence[str], **words: Any) -> CommandOutput:
        asked.append(tuple(argv))
        return engine.run(argv, **words)

    testbed = Containers(replace(engine, run=run), "test-session")
    process = testbed.start(spawner, request_for(podman.image(SERVES)), cwd=tmp_path, stdout=tmp_path / "log")
    assert line_of(tmp_path / "log")
    while_it_started = list(asked)
    process.wait_until_known()
    assert not while_it_started and asked
    testbed.close()


def test_the_proxies_of_the_harness_are_not_handed_on(podman: StandIn, spawner: PlainSpawner, tmp_path: Path) -> None:
    engine = podman.engine
    environ = {**engine.environ, "https_proxy": "http://proxy", "NO_PROXY": "localhost"}
    testbed = Containers(replace(engine, environ=environ), "test-session")
    process = testbed.start(spawner, request_for(podman.image(SERVES)), cwd=tmp_path, stdout=tmp_path / "log")
    process.wait_until_known()
    ((_, _, env),) = spawner.calls
    assert not {"https_proxy", "NO_PROXY"} & env.keys() and env["PATH"] == engine.environ["PATH"]
    testbed.close()


def test_what_does_not_end_is_killed_with_its_container(
    podman: StandIn, containers: Containers, spawner: PlainSpawner, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    process = containers.start(spawner, request_for(podman.image(RESISTS)), cwd=tmp_path, stdout=log)
    assert line_of(log) == "ready"
    pid = process.pid
    assert process.terminate(0.2) == -signal.SIGKILL
    until(lambda: not is_there(pid))
    assert podman.containers() == []


def test_a_container_whose_client_was_killed_is_removed(
    podman: StandIn, containers: Containers, spawner: PlainSpawner, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    process = containers.start(spawner, request_for(podman.image(SERVES)), cwd=tmp_path, stdout=log)
    pid = process.pid
    spawner.started[0].signal(signal.SIGKILL)
    until(lambda: process.poll() == -signal.SIGKILL)
    until(lambda: not is_there(pid))
    assert podman.containers() == []


def test_a_signal_reaches_the_application(
    podman: StandIn, containers: Containers, spawner: PlainSpawner, tmp_path: Path
) -> None:
    process = containers.start(spawner, request_for(podman.image(SERVES)), cwd=tmp_path, stdout=tmp_path / "log")
    pid = process.pid
    process.signal(signal.SIGSTOP)
    until(lambda: (PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()[0] == "T")
    process.signal(signal.SIGCONT)


def test_what_does_not_come_up_has_no_pid_and_leaves_its_reason(
    podman: StandIn, containers: Containers, spawner: PlainSpawner, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    process = containers.start(spawner, request_for("2" * 64), cwd=tmp_path, stdout=log)
    with pytest.raises(AnswerIsNo, match="names no process of the application's container"):
        process.wait_until_known()
    assert process.wait(5) == 125 and "image not known" in log.read_text()


def test_a_testbed_that_closes_takes_its_containers_along(
    podman: StandIn, spawner: PlainSpawner, tmp_path: Path
) -> None:
    testbed, log = Containers(podman.engine, "test-session"), tmp_path / "log"
    process = testbed.start(spawner, request_for(podman.image(RESISTS)), cwd=tmp_path, stdout=log)
    pid = process.pid
    testbed.close()
    until(lambda: not is_there(pid))
    assert podman.containers() == []
