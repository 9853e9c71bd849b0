"""Starts processes in the sandbox, through a root service; the interface is the same as the supervisor's."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterable, Sequence
from typing import Unpack

from plumbline.measuring.place.interface import PLACED_ROLES
from plumbline.measuring.place.launcher import Launcher
from plumbline.model.errors import CannotGoOn, UsageError
from plumbline.model.evidence import Stray
from .interface import Child, StartRequest
from .supervisor import marked

# A program that runs beside an application is asked one question.
_ENDS_WITHIN_S = 10.0
_OUTPUT_BYTES = 1 << 20


class Sandboxed:
    """Speaks with the launcher, whose connection the placement keeps and closes."""

    def __init__(self, launcher: Launcher, session: str) -> None:
        self._launcher, self._session = launcher, session

    @property
    def pid(self) -> int:
        """The harness's own process id: no other process of ours stands between it and the launcher."""
        return os.getpid()

    def __enter__(self) -> Sandboxed:
        return self

    def __exit__(self, *error: object) -> None:
        self._launcher.close()

    def spawn(self, **program: Unpack[StartRequest]) -> Child:
        """Start a program; see `launch.interface.Spawner`. The launcher chooses the user."""
        if program["role"] not in PLACED_ROLES:
            raise ValueError(f"{program['role']} is none of {', '.join(PLACED_ROLES)}")
        if program.get("user") is not None:
            raise UsageError("In the sandbox nobody chooses a user.", "Run as a user without rights.")
        if "cpus" in program:
            raise UsageError("In the sandbox each role has all of its CPUs.", "Leave the setting 'cpus' out.")
        output = os.open(program["stdout"], os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)
        try:
            answer = self._launcher.ask(
                (output,),
                do="spawn",
                role=program["role"],
                argv=program["argv"],
                cwd=str(program["cwd"]),
                env={**program["env"], marked.MARK: self._session},
            )
        finally:
            os.close(output)
        if "errno" in answer:
            raise UsageError(
                f"{program['argv'][0]} can't be started: {os.strerror(answer['errno'])} ({answer['step']}).",
                "Check that it is there and may be run by everybody.",
            )
        number = int(program.get("stop_signal", signal.SIGTERM))
        return Child(self._launcher, answer["pid"], answer["spawned_at_s"], number=number)

    def run_beside(self, pid: int, argv: Sequence[str]) -> str | None:
        """Run a program as the user of the application `pid`, and return its output; None if the program failed, or
        where an older launcher refuses.
        """
        with open(os.memfd_create("output"), "rb") as output:
            words = {"argv": list(argv), "cwd": "/", "env": {marked.MARK: self._session}}
            try:
                answer = self._launcher.ask((output.fileno(),), do="spawn", beside=pid, **words)
            except CannotGoOn:
                return None
            if "errno" in answer:
                return None
            program = Child(self._launcher, answer["pid"], answer["spawned_at_s"], number=signal.SIGKILL)
            if program.wait(_ENDS_WITHIN_S) != 0:
                program.terminate(0)
                return None
            return os.pread(output.fileno(), _OUTPUT_BYTES, 0).decode(errors="replace")

    def end_strays(self, spared: Iterable[int] = ()) -> tuple[Stray, ...]:
        """Return no stray: each program is a unit of systemd, which ends with all that is in its control group."""
        return ()
