"""Starts processes in the sandbox: the same face as the warden's, with a root service behind it."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from types import TracebackType

from plumbline.model.errors import UsageError
from plumbline.place.face import PLACED_ROLES
from plumbline.place.launcher import Launcher
from .client import AFTER_KILL_S
from .warden import marked


class Confined:
    """A process that the launcher started; see `launch.face.Process`."""

    def __init__(self, launcher: Launcher, pid: int, spawned_at_s: float, stop_signal: int) -> None:
        self.pid = pid
        self.spawned_at_s = spawned_at_s
        self._launcher = launcher
        self._stop_signal = stop_signal

    def poll(self) -> int | None:
        """Exit status (minus the signal's number when a signal ended it), or None while it runs."""
        return self._launcher.exit_of(self.pid, 0.0)

    def wait(self, timeout_s: float) -> int | None:
        """Waits for the end; the exit status, or None when it still runs after `timeout_s`."""
        return self._launcher.exit_of(self.pid, timeout_s)

    def signal(self, number: int) -> None:
        """Sends a signal to this process alone; nothing happens when it has ended."""
        self._launcher.ask(do="signal", pid=self.pid, number=int(number))

    def terminate(self, timeout_s: float) -> int | None:
        """Sends the stop signal; after `timeout_s` its whole unit is killed. The exit status."""
        self._launcher.ask(do="terminate", pid=self.pid, number=self._stop_signal, grace_s=timeout_s)
        return self._launcher.exit_of(self.pid, timeout_s + AFTER_KILL_S)


class Sandboxed:
    """Speaks with the launcher, whose connection the placement keeps and closes."""

    def __init__(self, launcher: Launcher, session: str) -> None:
        self._launcher, self._session = launcher, session

    @property
    def pid(self) -> int:
        """The harness itself: no other process of ours stands between it and the launcher."""
        return os.getpid()

    def __enter__(self) -> Sandboxed:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._launcher.close()

    def spawn(
        self,
        *,
        role: str,
        argv: list[str],
        cwd: Path,
        env: dict[str, str],
        user: str | None = None,
        stdout: Path,
        stop_signal: int = signal.SIGTERM,
    ) -> Confined:
        """Starts a program; see `launch.face.Spawner`. Users are the launcher's to choose."""
        if role not in PLACED_ROLES:
            raise ValueError(f"{role} is none of {', '.join(PLACED_ROLES)}")
        if user is not None:
            raise UsageError("In the sandbox nobody chooses a user.", "Run as a user without rights.")
        output = os.open(stdout, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)
        try:
            words = {"role": role, "argv": argv, "cwd": str(cwd), "env": {**env, marked.MARK: self._session}}
            answer = self._launcher.ask((output,), do="spawn", **words)
        finally:
            os.close(output)
        if "errno" in answer:
            raise UsageError(
                f"{argv[0]} can't be started: {os.strerror(answer['errno'])} ({answer['step']}).",
                "Check that it is there and may be run by everybody.",
            )
        return Confined(self._launcher, answer["pid"], answer["spawned_at_s"], int(stop_signal))
