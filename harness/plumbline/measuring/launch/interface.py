"""The interfaces of a started process and of the programs that start it."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NotRequired, Protocol, TypedDict, Unpack

from plumbline.machine.host.foreign import open_regular
from plumbline.model.evidence import Stray


def exit_in_words(status: int) -> str:
    """Return an exit status in words: `exit status 1`, `signal 9 (SIGKILL)`."""
    if status >= 0:
        return f"exit status {status}"
    try:
        return f"signal {-status} ({signal.Signals(-status).name})"
    except ValueError:
        return f"signal {-status}"


# More or longer lines would tell a reader nothing more.
_LINES, _CHARACTERS = 12, 300
_TAIL_BYTES = 1 << 18


def last_words(lines: Iterable[str]) -> tuple[str, ...]:
    """Return the last distinct lines that are not blank, oldest first."""
    distinct = dict.fromkeys(line.rstrip()[:_CHARACTERS] for line in lines if line.strip())
    return tuple(distinct)[-_LINES:]


def last_words_in(log: Path) -> tuple[str, ...]:
    """Return the `last_words` of a log; none where there is no log. An application may have made it, of any length."""
    try:
        with open_regular(log) as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - _TAIL_BYTES))
            return last_words(file.read(_TAIL_BYTES).decode(errors="replace").splitlines())
    except OSError:
        return ()


class RunningProcess(Protocol):
    """A process that was started."""

    @property
    def pid(self) -> int:
        """The process id."""

    @property
    def spawned_at_s(self) -> float:
        """CLOCK_MONOTONIC in seconds, read just before the fork."""

    def poll(self) -> int | None:
        """Return the exit status (minus the signal's number when a signal ended the process), or None while it runs."""

    def wait(self, timeout_s: float) -> int | None:
        """Wait for the end; return the exit status, or None when the process still runs after `timeout_s`."""

    def signal(self, number: int) -> None:
        """Send a signal to this process alone; do nothing when the process has ended."""

    def terminate(self, timeout_s: float) -> int | None:
        """Send the stop signal, kill the whole process group after `timeout_s`, and return the exit status.

        Returns None only when even SIGKILL did not end the process within a few seconds more.
        """


class StartRequest(TypedDict):
    """The request to start a program, whose role decides on its CPUs; output and errors are appended to `stdout`.

    `cpus` are the CPUs of the role that the program may run on, where it may not run on all of them. Its environment is
    `env` and the session's mark, nothing else. Without `user` the program runs as the user who starts it, and without
    `stop_signal` SIGTERM asks it to end.
    """

    role: str
    argv: list[str]
    cwd: Path
    env: dict[str, str]
    stdout: Path
    user: NotRequired[str | None]
    stop_signal: NotRequired[int]
    cpus: NotRequired[tuple[int, ...]]


class Spawner(Protocol):
    """Starts processes, and ends what they leave behind."""

    def spawn(self, **program: Unpack[StartRequest]) -> RunningProcess:
        """Start a program. Raises UsageError when the program or its user does not exist or may not be used."""

    def end_strays(self, spared: Iterable[int] = ()) -> tuple[Stray, ...]:
        """End every process of the session that descends from no running program and from none of `spared`.

        `spared` are the roots of programs that others started for us, such as a container's first process.
        """


# After SIGKILL only the kernel itself (a write that hangs) can delay an end.
AFTER_KILL_S = 5.0


class ProcessOwner(Protocol):
    """The owner of a process, which started it and answers for it: the supervisor or the host's launcher."""

    def ask(self, **fields: Any) -> dict[str, Any]:
        """Send one request, and wait for its answer."""
        ...

    def exit_of(self, pid: int, timeout_s: float) -> int | None:
        """Return the exit status of a process, or None when it still runs after `timeout_s`."""
        ...


class Child:
    """A process of an owner; see RunningProcess. `end_fields` are what the owner needs to end the process."""

    def __init__(self, owner: ProcessOwner, pid: int, spawned_at_s: float, **end_fields: int) -> None:
        self.pid = pid
        self.spawned_at_s = spawned_at_s
        self._owner = owner
        self._end_fields = end_fields

    def poll(self) -> int | None:
        """See RunningProcess."""
        return self._owner.exit_of(self.pid, 0.0)

    def wait(self, timeout_s: float) -> int | None:
        """See RunningProcess."""
        return self._owner.exit_of(self.pid, timeout_s)

    def signal(self, number: int) -> None:
        """See RunningProcess."""
        self._owner.ask(do="signal", pid=self.pid, number=int(number))

    def terminate(self, timeout_s: float) -> int | None:
        """See RunningProcess; what is killed may be a unit instead of a group."""
        self._owner.ask(do="terminate", pid=self.pid, grace_s=timeout_s, **self._end_fields)
        return self._owner.exit_of(self.pid, timeout_s + AFTER_KILL_S)
