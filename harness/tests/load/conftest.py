"""Fixtures that the tests of the load share."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from plumbline.machine.host import kernel
from plumbline.machine.host.paths import Paths
from plumbline.machine.tools.k6 import get_k6
from plumbline.machine.tools.toolbox import Toolbox
from tests.load.server import Server
from tests.processes import PlainSpawner


@pytest.fixture
def spawner() -> Iterator[PlainSpawner]:
    plain = PlainSpawner()
    yield plain
    for process in plain.started:
        if process.poll() is None:
            process.terminate(0.1)


@pytest.fixture
def serve() -> Iterator[Callable[[str, str], Server]]:
    servers: list[Server] = []

    def start(behaviour: str, body: str) -> Server:
        servers.append(Server(behaviour, body))
        return servers[-1]

    yield start
    for server in servers:
        if server.running:
            server.stop()


@pytest.fixture
def free_port() -> int:
    return kernel.free_port()


@pytest.fixture
def program(tmp_path: Path) -> Callable[[str], Path]:
    """Write an executable Python program from its text: a k6 that misbehaves."""

    def write(text: str) -> Path:
        path = tmp_path / "k6"
        path.write_text(f"#!{sys.executable}\n{text}")
        path.chmod(0o755)
        return path

    return write


@pytest.fixture(scope="session")
def scenarios() -> Path:
    return Path(__file__).parents[3] / "k6" / "scenarios"


@pytest.fixture
def cpus() -> int:
    return len(os.sched_getaffinity(0))


@pytest.fixture(scope="session")
def k6_binary() -> Path:
    paths = Paths.of(os.environ, Path(__file__).parents[3], os.getuid())
    return get_k6(Toolbox.of(paths, os.environ, print)).program
