"""Helpers for tests of the supervisor: placement by affinity alone, programs that resist, living processes."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

from plumbline.machine.host.kernel import allowed_cpus
from plumbline.measuring.launch import leftovers
from plumbline.measuring.place.groups import group_name
from plumbline.measuring.place.providers.taskset import Taskset
from plumbline.model.host import CpuSets

PROC = Path("/proc")

# Longer than any step takes; a test that waits so long has failed.
PATIENCE_S = 30.0

# Ignores whatever may be ignored, and leaves a grandchild in a session of its own that has wiped its mark.
RESISTS = """
import os, signal, sys, time
for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT):
    signal.signal(number, signal.SIG_IGN)
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.execve(sys.executable, [sys.executable, "-c", "import time; time.sleep(1000)"], {})
    time.sleep(1000)
print("ready", flush=True)
time.sleep(1000)
"""

LISTENS = """
import socket, time
listening = socket.create_server(("127.0.0.1", 0))
print(listening.getsockname()[1], flush=True)
time.sleep(1000)
"""


def session(name: str) -> str:
    return f"test-{name}-{os.getpid()}"


def affinity_alone() -> Taskset:
    cpus = allowed_cpus(PROC)
    placement = Taskset("a test")
    placement.prepare("", CpuSets(app=cpus[-1:], db=cpus[:1], load=cpus[:1], housekeeping=cpus[:1]))
    return placement


def python(program: str) -> list[str]:
    return [sys.executable, "-c", program]


def until(condition: Callable[[], bool]) -> None:
    end_s = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < end_s, "waited in vain"
        time.sleep(0.01)


def line_of(log: Path) -> str:
    """Return the first line of a log, once the line is whole."""
    until(lambda: log.exists() and "\n" in log.read_text())
    return log.read_text().splitlines()[0]


def living(session_id: str) -> tuple[int, ...]:
    return leftovers.sessions(PROC).get(session_id, ())


def groups_of(session_id: str) -> list[Path]:
    """Return the control groups of a session; any group may come or go meanwhile."""
    lines = (PROC / "self/mountinfo").read_text().splitlines()
    mounts = {line.split()[4] for line in lines if " - cgroup" in line}
    folders = (Path(folder) for mount in mounts for folder, _, _ in os.walk(mount))
    return [folder for folder in folders if folder.match(group_name(session_id, "*"))]


def is_there(pid: int) -> bool:
    """Whether a process runs; a zombie, which only waits for its parent, does not run."""
    try:
        state = (PROC / str(pid) / "stat").read_bytes().rpartition(b")")[2].split()[0]
    except OSError:
        return False
    return state not in (b"Z", b"X")


def cpu_ticks(pid: int) -> int:
    """Return the CPU time that a process has used, in steps of 10 ms."""
    fields = (PROC / str(pid) / "stat").read_bytes().rpartition(b")")[2].split()
    return int(fields[11]) + int(fields[12])
