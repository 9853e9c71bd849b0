"""A database container, tested without an engine: an embedded server takes the place of the container."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest

from plumbline.machine.tools.running import CommandOutput
from plumbline.measuring.services.postgres.container import Container, ContainerServer, find_engine
from plumbline.measuring.services.postgres.settings import SETTINGS
from plumbline.model.errors import CannotGoOn, UsageError
from tests.processes import PlainSpawner

pytestmark = pytest.mark.slow


class Engine:
    def __init__(self) -> None:
        self.calls: list[list[str]] = []

    def __call__(
        self, argv: Sequence[str], *, cwd: Path, env: Mapping[str, str], waiting: Callable[[float], None]
    ) -> CommandOutput:
        self.calls.append(list(argv))
        return CommandOutput(0, "4711\n")


def test_the_command_line_holds_settings_and_no_password() -> None:
    words = Container(Path("/usr/bin/podman"), "plumbline-x", "18.6", (2, 3)).run_words(5555)
    assert words[:8] == [
        *("/usr/bin/podman", "run", "--rm", "--name", "plumbline-x", "--network", "host", "--cpuset-cpus")
    ]
    assert words[8] == "2,3"
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
    words = Container(Path("docker"), "x", "18.6").run_words(1, ("--cgroup-parent", "plumbline.slice"))
    assert words[words.index("--cgroup-parent") + 1] == "plumbline.slice"
    assert words.index("--cgroup-parent") < words.index("docker.io/library/postgres:18.6")


def test_without_cpus_it_may_run_anywhere() -> None:
    assert "--cpuset-cpus" not in Container(Path("docker"), "x", "18.6").run_words(1)


def test_podman_goes_first_and_none_is_one_sentence(tmp_path: Path) -> None:
    for name in ("docker", "podman"):
        (tmp_path / name).touch(mode=0o755)
        assert find_engine({"PATH": str(tmp_path)}).name == name
    with pytest.raises(UsageError, match=r"neither podman nor docker.*apt install podman"):
        find_engine({"PATH": str(tmp_path / "empty")})


def test_an_engine_that_fails_is_quoted_and_its_container_removed(tmp_path: Path) -> None:
    program = tmp_path / "docker"
    program.write_text("#!/bin/sh\necho 'docker: Cannot connect to the daemon.'\necho 'See docker --help'\nexit 125\n")
    program.chmod(0o755)
    engine, spawner = Engine(), PlainSpawner()
    server = ContainerServer(
        Container(program, "plumbline-x", "18.6"),
        spawner,
        engine,
        environ={"PATH": "/usr/bin:/bin"},
        folder=tmp_path / "db",
        log=tmp_path / "log",
        password="secret",
    )
    with pytest.raises(CannotGoOn, match=r"did not start: docker: Cannot connect to the daemon\. The whole log"):
        server.start()
    assert engine.calls == [
        [str(program), "info", "--format", "{{.CgroupDriver}}"],
        [str(program), "rm", "--force", "plumbline-x"],
    ]
    ((_, argv, env),) = spawner.calls
    assert "secret" not in argv and env["POSTGRES_PASSWORD"] == "secret"
    assert server.exit_status() is None and server.pids == ()
