"""Start a new process: from the fork to the first instruction of its program."""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import signal
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

_PR_SET_PDEATHSIG = 1
_LIBC = ctypes.CDLL(None, use_errno=True)


@dataclass(frozen=True)
class ProcessSpec:
    """The properties of a new process. `user` is (uid, gid, groups); `files` are groups to enter first."""

    argv: list[str]
    cwd: str
    env: dict[str, str]
    user: tuple[int, int, list[int]] | None
    stdout: str
    death_signal: int
    files: list[str]
    cpus: list[int]

    @classmethod
    def of(cls, request: dict[str, Any]) -> ProcessSpec:
        """Return the properties that a request of the client asks for."""
        return cls(**{name: request[name] for name in cls.__dataclass_fields__})


def start_process(birth: ProcessSpec) -> tuple[int, float]:
    """Fork and run the program; return its pid, and CLOCK_MONOTONIC in seconds just before exec.

    The time is not taken before the fork: the kernel takes 1 to 20 ms to move a process into a control group, and
    that is no part of the program's start. Raises OSError when any step up to exec fails; its `filename` says which.
    """
    supervisor = os.getpid()
    read_end, write_end = os.pipe2(os.O_CLOEXEC)
    pid = os.fork()
    if pid == 0:
        _run_program(birth, supervisor, write_end)
    os.close(write_end)
    with os.fdopen(read_end, "r") as pipe:
        report = dict(line.rstrip("\n").split("=", 1) for line in pipe)
    if "errno" in report:
        os.waitpid(pid, 0)
        number = int(report["errno"])
        raise OSError(number, os.strerror(number), report["step"])
    return pid, float(report["spawned_at_s"])


def enter(files: list[str], cpus: list[int]) -> None:
    """Put this process into groups and on CPUs. Groups come first: a new cpuset resets the affinity."""
    for file in files:
        Path(file).write_text(str(os.getpid()), encoding="ascii")
    os.sched_setaffinity(0, cpus)


def _run_program(birth: ProcessSpec, supervisor: int, write_end: int) -> NoReturn:
    step = "a new session"
    try:
        os.setsid()
        # Ignored signals stay ignored over exec, and the supervisor ignores several.
        for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
            signal.signal(number, signal.SIG_DFL)
        step = f"its output file {birth.stdout}"
        _redirect_output(birth.stdout)
        step = "its CPU set"
        enter(birth.files, birth.cpus)
        step = "its user"
        if birth.user is not None:
            uid, gid, groups = birth.user
            os.setgroups(groups)
            os.setgid(gid)
            os.setuid(uid)
        step = f"its folder {birth.cwd}"
        os.chdir(birth.cwd)
        step = "its death signal"
        # The death signal is set last, since a change of user clears it.
        if _LIBC.prctl(_PR_SET_PDEATHSIG, birth.death_signal, 0, 0, 0) != 0:
            raise OSError(ctypes.get_errno(), "prctl")
        if os.getppid() != supervisor:
            os._exit(127)
        step = birth.argv[0]
        _close_all_but(0, 1, 2, write_end)
        os.write(write_end, f"spawned_at_s={time.monotonic()!r}\n".encode())
        os.execvpe(birth.argv[0], birth.argv, birth.env)
    except Exception as error:
        reason = getattr(error, "errno", None) or errno.EINVAL
        os.write(write_end, f"errno={reason}\nstep={step}\n".encode())
    os._exit(127)


def _close_all_but(*kept: int) -> None:
    """Close the descriptors that are open: up to the limit of some containers there are a thousand million numbers."""
    for descriptor in {int(name) for name in os.listdir("/proc/self/fd")} - {*kept}:
        # The listing had one of its own.
        with contextlib.suppress(OSError):
            os.close(descriptor)


def _redirect_output(stdout: str) -> None:
    null_input = os.open(os.devnull, os.O_RDONLY)
    output = os.open(stdout, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    os.dup2(null_input, 0)
    os.dup2(output, 1)
    os.dup2(output, 2)
