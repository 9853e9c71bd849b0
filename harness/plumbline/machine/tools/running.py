"""Runs a tool's own command: to ask its version, or to build it."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol


@dataclass(frozen=True)
class CommandOutput:
    """The exit status of a command, and what it printed (standard error included)."""

    exit_code: int
    output: str


class CommandRunner(Protocol):
    """Runs a command to its end."""

    def __call__(
        self, argv: Sequence[str], *, cwd: Path, env: Mapping[str, str], waiting: Callable[[float], None]
    ) -> CommandOutput:
        """Call `waiting` about every ten seconds with the seconds so far. Raises OSError when it can't start."""


_MESSAGE_EVERY_S = 10.0

_PR_SET_PDEATHSIG = 1
_LIBC = ctypes.CDLL(None)


def die_with_us() -> None:
    """Let the new process, as its `preexec_fn`, be killed when the thread that started it ends, even by `kill -9`."""
    _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def run(argv: Sequence[str], *, cwd: Path, env: Mapping[str, str], waiting: Callable[[float], None]) -> CommandOutput:
    """Run a command for real. An interruption ends the command and everything it started."""
    began = time.monotonic()
    process = subprocess.Popen(
        list(argv), cwd=cwd, env=dict(env), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True, errors="replace", start_new_session=True, preexec_fn=die_with_us,
    )  # fmt: skip
    try:
        while True:
            try:
                output, _ = process.communicate(timeout=_MESSAGE_EVERY_S)
                return CommandOutput(process.returncode, output)
            except subprocess.TimeoutExpired:
                waiting(time.monotonic() - began)
    except BaseException:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        raise
