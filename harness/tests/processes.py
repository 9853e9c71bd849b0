"""A spawner of plain subprocesses, without placement or supervisor; and the ports on which processes listen."""

from __future__ import annotations

import pwd
import signal
import subprocess
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Unpack

from plumbline.measuring.launch.interface import RunningProcess, StartRequest
from plumbline.model.evidence import Stray


class Started:
    """A started process, with the methods that the launch room defines."""

    def __init__(self, popen: subprocess.Popen[bytes], stop_signal: int) -> None:
        self._popen = popen
        self._stop_signal = stop_signal
        self.spawned_at_s = time.monotonic()

    @property
    def pid(self) -> int:
        return self._popen.pid

    def poll(self) -> int | None:
        return self._popen.poll()

    def wait(self, timeout_s: float) -> int | None:
        try:
            return self._popen.wait(timeout_s)
        except subprocess.TimeoutExpired:
            return None

    def signal(self, number: int) -> None:
        self._popen.send_signal(number)

    def terminate(self, timeout_s: float) -> int | None:
        if self.poll() is None:
            self._popen.send_signal(self._stop_signal)
        if self.wait(timeout_s) is None:
            self._popen.kill()
        return self._popen.wait()


class PlainSpawner:
    """Starts processes on any CPU; `calls` holds role, words and environment of each, in order."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, list[str], dict[str, str]]] = []
        self.started: list[Started] = []

    def spawn(self, **program: Unpack[StartRequest]) -> RunningProcess:
        self.calls.append((program["role"], program["argv"], program["env"]))
        options: dict[str, Any] = {"cwd": program["cwd"], "env": program["env"]}
        if (user := program.get("user")) is not None:
            entry = pwd.getpwnam(user)
            options |= {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}
        with program["stdout"].open("ab") as out:
            popen = subprocess.Popen(program["argv"], stdout=out, stderr=subprocess.STDOUT, **options)
        self.started.append(Started(popen, program.get("stop_signal", signal.SIGTERM)))
        return self.started[-1]

    def end_strays(self, spared: Iterable[int] = ()) -> tuple[Stray, ...]:
        return ()


def listening_ports(proc: Path, pids: tuple[int, ...]) -> tuple[int, ...]:
    """TCP ports on which any of these processes listens, sorted."""
    inodes: set[str] = set()
    for pid in pids:
        try:
            for entry in (proc / str(pid) / "fd").iterdir():
                target = str(entry.readlink())
                if target.startswith("socket:["):
                    inodes.add(target[len("socket:[") : -1])
        except OSError:
            continue
    ports: set[int] = set()
    for table in ("tcp", "tcp6"):
        if not (proc / "net" / table).exists():
            continue
        for line in (proc / "net" / table).read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == "0A" and fields[9] in inodes:
                ports.add(int(fields[1].rpartition(":")[2], 16))
    return tuple(sorted(ports))
