"""A database container, tested without an engine: an embedded server takes the place of the container."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from plumbline.machine.tools.container import ContainerEngine
from plumbline.machine.tools.running import CommandOutput
from plumbline.measuring.services.postgres.container import Container, ContainerServer
from plumbline.measuring.services.postgres.settings import SETTINGS
from plumbline.measuring.services.registry import DatabaseSetup, database_service
from plumbline.model.errors import CannotGoOn, UsageError
from tests.processes import PlainSpawner

pytestmark = pytest.mark.slow

SESSION = "20260901T101500Z-lab-0a1b2c"
NAME = "plumbline-20260901t101500z-lab-0a1b2c"


class Calls:
    """Runs nothing, and says of each command that the engine leaves control groups to systemd."""

    def __init__(self) -> None:
        self.words: list[list[str]] = []

    def __call__(
        self, argv: Sequence[str], *, cwd: Path, env: Mapping[str, str], waiting: Callable[[float], None]
    ) -> CommandOutput:
        self.words.append(list(argv)[3:])
        return CommandOutput(0, "systemd\n")


def container(program: Path, calls: Calls, cpus: tuple[int, ...] = ()) -> Container:
    environ = {"PATH": "/usr/bin:/bin"}
    return Container(ContainerEngine(program, "Docker version 28.5.1", environ, calls), SESSION, "18.6", cpus)


def test_the_command_line_holds_settings_and_no_password() -> None:
    words = container(Path("/usr/bin/docker"), Calls(), (2, 3)).run_words(5555)
    assert words[:9] == [
        *("/usr/bin/docker", "--log-level", "error", "run", "--rm"),
        *("--name", NAME, "--label", f"plumbline.session={SESSION}"),
    ]
    assert words[9:13] == ["--network", "host", "--cpuset-cpus", "2,3"]
    image = words.index("docker.io/library/postgres:18.6")
    assert words[image - 4 : image] == ["--env", "POSTGRES_PASSWORD", "--env", "POSTGRES_INITDB_ARGS"]
    pairs = dict(word.split("=", 1) for word in words[image + 2 :: 2])
    assert set(words[image + 1 :: 2]) == {"-c"}
    assert {name: pairs[name] for name in SETTINGS} == dict(SETTINGS)
    assert pairs["port"] == "5555" and pairs["listen_addresses"] == "127.0.0.1"
    assert pairs["ssl_tls13_ciphers"] == "TLS_AES_128_GCM_SHA256"
    # It can't be on before the keys are there.
    assert "ssl" not in pairs


def test_its_control_group_stands_where_the_engine_is_told() -> None:
    words = container(Path("docker"), Calls()).run_words(1)
    assert words[words.index("--cgroup-parent") + 1] == "plumbline.slice"
    assert words.index("--cgroup-parent") < words.index("docker.io/library/postgres:18.6")


def test_without_cpus_it_may_run_anywhere() -> None:
    assert "--cpuset-cpus" not in container(Path("docker"), Calls()).run_words(1)


def test_without_an_engine_there_is_one_sentence(setup: DatabaseSetup, tmp_path: Path) -> None:
    nothing = replace(setup, box=replace(setup.box, environ={"PATH": str(tmp_path)}))
    with pytest.raises(UsageError, match=r"neither podman nor docker.*apt install podman") as refused:
        database_service("container", nothing)
    assert refused.value.problem.startswith("bench.toml asks for the database in a container, and there is neither")


def test_an_engine_that_fails_is_quoted_and_its_container_removed(tmp_path: Path) -> None:
    program = tmp_path / "docker"
    program.write_text("#!/bin/sh\necho 'docker: Cannot connect to the daemon.'\necho 'See docker --help'\nexit 125\n")
    program.chmod(0o755)
    calls, spawner = Calls(), PlainSpawner()
    server = ContainerServer(
        container(program, calls),
        spawner,
        folder=tmp_path / "db",
        log=tmp_path / "log",
        password="secret",
    )
    with pytest.raises(CannotGoOn, match=r"did not start: docker: Cannot connect to the daemon\. The whole log"):
        server.start()
    assert calls.words == [["info", "--format", "{{.CgroupDriver}}"], ["rm", "--force", "--volumes", NAME]]
    ((_, argv, env),) = spawner.calls
    assert "secret" not in argv and env["POSTGRES_PASSWORD"] == "secret"
    assert server.exit_status() is None and server.pids == ()
