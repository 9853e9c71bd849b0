"""The launcher as a process of its own, behind a socket, with the programs of systemd replaced."""

from __future__ import annotations

import os
import pwd
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from plumbline.measuring.place.launcher import Launcher
from . import fakes

RUNNER_SETUP = Path(__file__).resolve().parents[3] / "runner-setup"
sys.path.insert(0, str(RUNNER_SETUP))

# Like systemd with Accept=yes: one instance for each connection.
_SERVE = """
import os, socket, sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from launcher import serve, units
from launcher.config import Config, Refused
serve.NAMESPACES = units.NAMESPACES = Path(sys.argv[2])
listening = socket.socket(fileno=int(sys.argv[3]))
state, memory = Path(sys.argv[5]), dict.fromkeys(units.ROLES, 1 << 30)
config = Config(sys.argv[4], state, memory, 512, database_user=sys.argv[6], sessions=state / "sessions")
while True:
    connection, _ = listening.accept()
    if os.fork() == 0:
        with connection:
            try:
                serve.Connection(config, connection).run()
            except Refused as refusal:
                print(refusal, flush=True)
        os._exit(0)
    connection.close()
"""


@dataclass(frozen=True)
class Host:
    """A host with a launcher. `units` has a .json for each started unit, `namespaces` an entry for each namespace."""

    socket: Path
    units: Path
    namespaces: Path
    state: Path
    log: Path

    def connect(self) -> Launcher:
        return Launcher(self.socket)


def start_host(folder: Path, user: str) -> tuple[Host, subprocess.Popen[bytes]]:
    programs, units, namespaces = fakes.install(folder)
    path, log = folder / "launcher.sock", folder / "launcher.log"
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(str(path))
    listening.listen()
    me = pwd.getpwuid(os.geteuid()).pw_name
    words = [str(RUNNER_SETUP), str(namespaces), str(listening.fileno()), user, str(folder), me]
    with listening, log.open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, "-I", "-c", _SERVE, *words],
            pass_fds=(listening.fileno(),),
            env={**os.environ, "PATH": f"{programs}:{os.environ['PATH']}"},
            stdout=output,
            stderr=output,
        )
    return Host(path, units, namespaces, folder, log), process


@pytest.fixture
def host(tmp_path: Path) -> Iterator[Host]:
    started_host, process = start_host(tmp_path, pwd.getpwuid(os.geteuid()).pw_name)
    yield started_host
    process.terminate()
    process.wait()
