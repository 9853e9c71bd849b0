"""A database container, tested without an engine: the pinned server takes the place of the container."""

from __future__ import annotations

import stat
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Unpack

import psycopg
import pytest

from plumbline.machine.tools.container import ContainerEngine
from plumbline.machine.tools.postgres import get_postgres
from plumbline.machine.tools.running import CommandOutput
from plumbline.measuring.launch.interface import RunningProcess, StartRequest
from plumbline.measuring.services.owner import OwnFolder
from plumbline.measuring.services.postgres.container import Container, ContainerServer
from plumbline.measuring.services.postgres.service import PostgresService
from plumbline.measuring.services.postgres.settings import SETTINGS, TLS_SETTINGS
from plumbline.measuring.services.registry import DatabaseSetup, database_service
from plumbline.model.errors import CannotGoOn, UsageError
from plumbline.model.evidence import Stray
from tests.processes import PlainSpawner
from .conftest import apart
from .test_embedded import application

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


def container(program: Path, calls: Calls, cpus: tuple[int, ...] = (), nodes: tuple[int, ...] = ()) -> Container:
    environ = {"PATH": "/usr/bin:/bin"}
    return Container(ContainerEngine(program, "Docker version 28.5.1", environ, calls), SESSION, "18.6", cpus, nodes)


def test_the_command_line_holds_settings_and_no_password() -> None:
    words = container(Path("/usr/bin/docker"), Calls(), (2, 3)).run_words(5555)
    assert words[:9] == [
        *("/usr/bin/docker", "--log-level", "error", "run", "--rm"),
        *("--name", NAME, "--label", f"plumbline.session={SESSION}"),
    ]
    assert words[9:13] == ["--network", "host", "--cpuset-cpus", "2,3"]
    assert "--cpuset-mems" not in words
    image = words.index("docker.io/library/postgres:18.6")
    assert words[image - 4 : image] == ["--env", "POSTGRES_PASSWORD", "--env", "POSTGRES_INITDB_ARGS"]
    pairs = dict(word.split("=", 1) for word in words[image + 2 :: 2])
    assert set(words[image + 1 :: 2]) == {"-c"}
    assert {name: pairs[name] for name in SETTINGS} == dict(SETTINGS)
    assert pairs["port"] == "5555" and pairs["listen_addresses"] == "127.0.0.1"
    assert pairs["ssl_tls13_ciphers"] == "TLS_AES_128_GCM_SHA256"
    # It can't be on before the keys are there.
    assert "ssl" not in pairs


def test_it_gets_the_memory_of_its_nodes() -> None:
    words = container(Path("docker"), Calls(), (2, 3), (1,)).run_words(1)
    assert words[words.index("--cpuset-mems") + 1] == "1"


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


# The steps of the official image's entry point, for the words of `run` that follow the image.
ENTRY = """#!/bin/sh
set -eu
until expr "$1" : docker.io/library/postgres: >/dev/null; do shift; done
shift
printf '%s\\n' "$POSTGRES_PASSWORD" >password
eval "initdb -D data --username=postgres --pwfile=password $POSTGRES_INITDB_ARGS"
echo 'host all all all scram-sha-256' >>data/pg_hba.conf
cp data/pg_hba.conf first_hba.conf
exec postgres -D data -c unix_socket_directories= "$@"
"""


class StartedByAnEngine(Calls):
    """Starts the program of an engine as the user of a server and in its folder, and says of each command what an
    engine says of that container.
    """

    def __init__(self, own: OwnFolder) -> None:
        super().__init__()
        self.own = own
        self.pid = 0

    def spawn(self, **program: Unpack[StartRequest]) -> RunningProcess:
        process = self.own.spawn(program["argv"], program["env"], stop_signal=program["stop_signal"])
        self.pid = process.pid
        return process

    def end_strays(self, spared: Iterable[int] = ()) -> tuple[Stray, ...]:
        return ()

    def __call__(
        self, argv: Sequence[str], *, cwd: Path, env: Mapping[str, str], waiting: Callable[[float], None]
    ) -> CommandOutput:
        super().__call__(argv, cwd=cwd, env=env, waiting=waiting)
        return CommandOutput(0, f"{'a' * 64} {self.pid}\n")


@pytest.fixture(scope="module")
def own(setup: DatabaseSetup) -> OwnFolder:
    own_setup = apart(setup, "contained")
    own_setup.folder.mkdir(mode=0o711)
    own = own_setup.own_folder("PostgreSQL")
    own.make()
    return own


@pytest.fixture(scope="module")
def contained(setup: DatabaseSetup, own: OwnFolder) -> Iterator[PostgresService]:
    """A service whose server was started by the words for a container."""
    program = own.path.parent / "docker"
    program.write_text(ENTRY)
    program.chmod(0o755)
    engine = StartedByAnEngine(own)
    started = container(program, engine)
    programs = get_postgres(setup.box).home / "bin"
    started = replace(started, engine=replace(started.engine, environ={"PATH": f"{programs}:/usr/bin:/bin"}))
    server = ContainerServer(started, engine, folder=own.path.parent, log=setup.log, password="secret")
    with PostgresService(server, setup.contract_sql) as service:
        yield service


def test_its_settings_are_those_of_an_embedded_server(contained: PostgresService) -> None:
    stated = {**SETTINGS, **TLS_SETTINGS}
    assert {name: contained.settings[name] for name in stated} == stated


@pytest.mark.parametrize("user", ["postgres", "plumbline", "plumbline_probe"])
def test_nobody_logs_in_to_it_without_a_password(contained: PostgresService, own: OwnFolder, user: str) -> None:
    with pytest.raises(psycopg.OperationalError, match="no password supplied"):
        application(contained, user=user, password="")
    first_lines = (own.path / "first_hba.conf").read_text().splitlines()
    assert {line.split()[-1] for line in first_lines if line and not line.startswith("#")} == {"scram-sha-256"}


@pytest.mark.parametrize("database", ["bench_template", "bench_counters", "postgres", "template1"])
def test_the_application_logs_in_to_no_other_database_of_it(contained: PostgresService, database: str) -> None:
    with application(contained) as session:
        assert session.execute("SELECT count(*) FROM fruits").fetchall() == [(10,)]
    with pytest.raises(psycopg.OperationalError, match=r"pg_hba\.conf rejects connection"):
        application(contained, dbname=database)


def test_its_key_is_its_own(contained: PostgresService, own: OwnFolder) -> None:
    key = (own.path / "data" / "server.key").stat()
    assert stat.S_IMODE(key.st_mode) == 0o600 and key.st_uid == own.path.stat().st_uid
    with application(contained, sslmode="verify-full", sslrootcert=str(contained.address.authority)) as session:
        assert session.execute("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()").fetchall() == [(True,)]
