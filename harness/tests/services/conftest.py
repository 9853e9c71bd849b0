"""A spawner of plain subprocesses, and one embedded server for all tests of this room."""

from __future__ import annotations

import os
import pwd
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from plumbline.host.paths import Paths
from plumbline.services.postgres.service import PostgresService
from plumbline.services.registry import Ground, database_service
from plumbline.tools.toolbox import Toolbox

CHECKOUT = Path(__file__).resolve().parents[3]


class PlainProcess:
    def __init__(self, process: subprocess.Popen[bytes], stop_signal: int) -> None:
        self._process, self._stop_signal = process, stop_signal

    @property
    def pid(self) -> int:
        return self._process.pid

    def poll(self) -> int | None:
        return self._process.poll()

    def wait(self, timeout_s: float) -> int | None:
        try:
            return self._process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            return None

    def terminate(self, timeout_s: float) -> int | None:
        if self.poll() is None:
            self._process.send_signal(self._stop_signal)
        if self.wait(timeout_s) is None:
            self._process.kill()
        return self._process.wait()


class PlainSpawner:
    """`spawned` is what was asked for, in order."""

    def __init__(self) -> None:
        self.spawned: list[dict[str, object]] = []

    def spawn(
        self,
        *,
        role: str,
        argv: list[str],
        cwd: Path,
        env: dict[str, str],
        user: str | None,
        stdout: Path,
        stop_signal: int,
    ) -> PlainProcess:
        self.spawned.append({"role": role, "argv": argv, "env": env, "user": user})
        become = {}
        if user is not None:
            entry = pwd.getpwnam(user)
            become = {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}
        with stdout.open("ab") as out:
            process = subprocess.Popen(argv, cwd=cwd, env=env, stdout=out, stderr=out, **become)
        return PlainProcess(process, stop_signal)


@pytest.fixture(scope="session")
def ground() -> Iterator[Ground]:
    """A scratch beside the real one, since an unprivileged server can't enter pytest's folders and a session that runs
    meanwhile sweeps its own; and the real cache."""
    elsewhere = {**os.environ, "PLUMBLINE_SCRATCH": f"/var/tmp/plumbline-tests-{os.geteuid()}"}
    paths = Paths.of(elsewhere, CHECKOUT, os.geteuid())
    name = f"tests-{os.getpid()}"
    scratch = paths.session_scratch(name)
    box = Toolbox.of(paths, dict(os.environ), lambda _: None)
    yield Ground(box, PlainSpawner(), name, scratch / "database", scratch / "database.log", ())
    subprocess.run(["rm", "-rf", str(scratch)], check=True)


@pytest.fixture(scope="session")
def service(ground: Ground) -> Iterator[PostgresService]:
    with database_service("embedded", ground) as service:
        yield service
