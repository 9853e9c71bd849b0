"""What goes wrong with the machine in the middle of a trial: neighbours, too little memory, a clock that is set."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Literal

from plumbline.measuring.launch.supervisor import marked
from plumbline.measuring.place.groups import group_name, make, put, remove, writable
from plumbline.measuring.place.interface import Placement
from plumbline.measuring.place.mounts import read_hierarchies
from plumbline.measuring.run.testbed import Testbed

# Processes without a parent, since all that descends from the harness counts as its own. All are there at once, forked
# and not started, and end by themselves where nobody is left to end them.
_HOGS = """\
import os, sys, time
end = time.monotonic() + 60
os.sched_setaffinity(0, {int(sys.argv[1])})
for _ in range(int(sys.argv[2])):
    if os.fork() == 0:
        while time.monotonic() < end:
            pass
        break
"""


@contextmanager
def hogs(cpu: int, count: int) -> Iterator[Callable[[], None]]:
    """A callback that starts so many processes, which do nothing but use one CPU; they end with the context."""
    started: list[subprocess.Popen[bytes]] = []

    def start() -> None:
        words = [sys.executable, "-c", _HOGS, str(cpu), str(count)]
        started.append(subprocess.Popen(words, env={}, start_new_session=True))
        started[-1].wait()

    try:
        yield start
    finally:
        for process in started:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


Role = Literal["app", "db", "load"]


def processes_of(testbed: Testbed, role: Role) -> tuple[int, ...]:
    """Every process of the database, or of what its supervisor started: k6 by its name, and the application."""
    parent_of = marked.parents(Path("/proc"))
    backing = set(testbed.backing_pids)
    (supervisor,) = (pid for pid in testbed.own_pids if pid != os.getpid())
    started = {pid for pid, parent in parent_of.items() if parent == supervisor} - backing
    generators = {pid for pid in started if command_of(pid) == "k6"}
    roots = {"db": set(testbed.database.pids), "load": generators, "app": started - generators}
    return tuple(sorted(marked.with_descendants(roots[role], parent_of)))


def command_of(pid: int) -> str:
    """The name of a process; empty when it is gone."""
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return ""


def said_of_pause(testbed: Testbed, role: Role, words: str) -> str:
    """The words of R4 about a stopped role: without a control group its CPU time is too coarse for a verdict."""
    if "cpu" in testbed.placement.accounting(role):
        return f"{words} did not run for"
    return f"Whether {words.lower()} ran meanwhile is not known"


def pauses(testbed: Testbed, role: Role, from_s: float, for_s: float) -> tuple[threading.Timer, ...]:
    """Two timers, not started: one stops every process of a role after some seconds, one lets it go on later."""
    pids: list[int] = []

    def signal_all(number: int) -> None:
        pids.extend(processes_of(testbed, role) if number == signal.SIGSTOP else ())
        for pid in pids:
            with suppress(ProcessLookupError):
                os.kill(pid, number)

    return (
        threading.Timer(from_s, signal_all, (signal.SIGSTOP,)),
        threading.Timer(from_s + for_s, signal_all, (signal.SIGCONT,)),
    )


@contextmanager
def from_phase(phase: str, timers: Iterable[threading.Timer]) -> Iterator[Callable[[str], None]]:
    """A callback for each phase that begins: it starts the timers at the named one; the context waits for them."""
    waiting = list(timers)

    def began(name: str) -> None:
        if name == phase:
            for timer in waiting:
                timer.start()

    try:
        yield began
    finally:
        for timer in waiting:
            if timer.ident is not None:
                timer.join()


def cannot_squeeze(placement: Placement) -> str | None:
    """Why the application can't be given less memory than it asks for, in a sentence; None where it can."""
    if _own_limit(placement) is not None:
        return None
    if not placement.entry("app").files:
        return "The application has no control group here, so its memory can't be limited."
    if _hierarchy() is None:
        return "The memory controller is not ours to use, so memory can't be limited."
    return None


@contextmanager
def squeezed(placement: Placement, spare_bytes: int) -> Iterator[Callable[[], None]]:
    """A callback that leaves the application so much more memory than it has by then; where `cannot_squeeze` is None.

    Control groups of version 1 leave charged memory where it was charged, and charge new memory to the group of a
    process. The limit ends with the context.
    """
    own, parent = _own_limit(placement), _hierarchy()
    if own is not None:

        def squeeze() -> None:
            put(own, str(int(own.with_name("memory.current").read_text()) + spare_bytes))

        try:
            yield squeeze
        finally:
            put(own, "max")
        return
    assert parent is not None, "cannot_squeeze() comes first"
    group = parent / group_name("faults", "app")

    def move() -> None:
        for pid in placement.entry("app").files[0].read_text().split():
            put(group / "cgroup.procs", pid)

    make(group)
    try:
        put(group / "memory.limit_in_bytes", str(spare_bytes))
        yield move
    finally:
        remove([group])


def _own_limit(placement: Placement) -> Path | None:
    """The limit of the application's own group of version 2."""
    group = placement.accounting("app").get("memory")
    return group / "memory.max" if group is not None and (group / "memory.max").exists() else None


def _hierarchy() -> Path | None:
    """Where groups of version 1 with a limit of memory can be made."""
    for hierarchy in read_hierarchies(Path("/proc")):
        if "memory" in hierarchy.controllers and writable(hierarchy.mount):
            return hierarchy.mount
    return None


class Clock:
    """Realtime as this process reads it, which can be set here: the machine's own is everybody's."""

    def __init__(self) -> None:
        self._read, self._ahead_s = time.time, 0.0

    def __call__(self) -> float:
        return self._read() + self._ahead_s

    def set_forward(self, seconds: float) -> None:
        """Set the clock ahead by so many seconds."""
        self._ahead_s += seconds
