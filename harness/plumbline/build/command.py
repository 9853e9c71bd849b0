"""Runs one build command and measures it: wall time and the peak memory of its processes."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from plumbline.tools.running import die_with_us

TAIL_LINES = 15
# The signals that tell a command to end, each of which Python raises as an interruption.
_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@dataclass(frozen=True)
class CommandResult:
    """The result of a command. `peak_memory_bytes` is the largest resident size of one of its processes."""

    exit_code: int
    wall_s: float
    peak_memory_bytes: int


def run_logged(argv: Sequence[str], cwd: Path, env: Mapping[str, str], log: Path) -> CommandResult:
    """Run `argv` with its output in `log`. An interruption ends the command and everything it started."""
    began = time.monotonic()
    process = None
    # A signal between the fork and `try` would leave the command behind, so it waits until the process is known.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _ENDING)

    def set_up() -> None:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        die_with_us()

    try:
        with log.open("wb") as out:
            process = subprocess.Popen(
                list(argv), cwd=cwd, env=dict(env), stdout=out, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                start_new_session=True, preexec_fn=set_up,
            )  # fmt: skip
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        _, status, usage = os.wait4(process.pid, 0)
    except BaseException:
        if process is not None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        raise
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    process.returncode = os.waitstatus_to_exitcode(status)
    return CommandResult(process.returncode, time.monotonic() - began, usage.ru_maxrss * 1024)


def tail(log: Path, lines: int = TAIL_LINES) -> tuple[str, ...]:
    """Return the last lines of a log that say something."""
    with log.open(encoding="utf-8", errors="replace") as file:
        return tuple(deque((line.rstrip() for line in file if line.strip()), maxlen=lines))
