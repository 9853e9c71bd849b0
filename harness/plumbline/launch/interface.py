"""The interfaces of a started process and of the programs that start it."""

from __future__ import annotations

import signal
from collections.abc import Iterable
from pathlib import Path
from typing import NotRequired, Protocol, TypedDict, Unpack

from plumbline.model.evidence import Stray


def ending(status: int) -> str:
    """Return an exit status in words: `exit status 1`, `signal 9 (SIGKILL)`."""
    if status >= 0:
        return f"exit status {status}"
    try:
        return f"signal {-status} ({signal.Signals(-status).name})"
    except ValueError:
        return f"signal {-status}"


class RunningProcess(Protocol):
    """A process that was started."""

    @property
    def pid(self) -> int:
        """The process id."""

    @property
    def spawned_at_s(self) -> float:
        """CLOCK_MONOTONIC in seconds, read just before the fork."""

    def poll(self) -> int | None:
        """Return exit status (minus the signal's number when a signal ended it), or None while it runs."""

    def wait(self, timeout_s: float) -> int | None:
        """Wait for the end; the exit status, or None when it still runs after `timeout_s`."""

    def signal(self, number: int) -> None:
        """Send a signal to this process alone; nothing happens when it has ended."""

    def terminate(self, timeout_s: float) -> int | None:
        """Send the stop signal; after `timeout_s` its whole process group is killed. The exit status.

        None only when even that did not end it within a few seconds more.
        """


class StartRequest(TypedDict):
    """The request to start a program, whose role gives it its CPUs; output and errors are appended to `stdout`.

    `cpus` are those of its role's that it may run on, where it may not run on all of them. Its environment is `env` and
    nothing else but the session's mark. Without `user` it runs as whoever starts it, and without `stop_signal` SIGTERM
    asks it to end.
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
        """Start a program. Raises UsageError when it or its user does not exist or may not be run."""

    def end_strays(self, spared: Iterable[int] = ()) -> tuple[Stray, ...]:
        """End every process of the session that descends from no program that still runs, nor from one of `spared`.

        Those are the roots of programs that others started for us, such as a container's first process.
        """
