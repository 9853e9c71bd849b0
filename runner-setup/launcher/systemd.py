"""One process in a unit of its own, from the request to its exit status."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .config import Config, Refused
from .units import properties, run_words

START = (sys.executable, "-I", "-S", str(Path(__file__).parent / "start.py"))

# The exit statuses of systemd-run that may also be a program's own: 255 for a signal, 1 if memory or time ran out.
_AMBIGUOUS = (1, 255)
_OUT_OF_MEMORY_OR_TIME = ("oom-kill", "timeout")
_BY_SIGNAL = (str(os.CLD_KILLED), str(os.CLD_DUMPED))
_ANSWER_BYTES = 4096
_STARTS_WITHIN_S = 30.0
_EXEC_S = 1.0
_LOOK_S = 0.0005


@dataclass
class Unit:
    """A started process. `user` is the throw-away user of an application; `kill_at_s` is set once the process was asked
    to end.
    """

    name: str
    pid: int
    pidfd: int
    runner: subprocess.Popen[bytes]
    user: str = ""
    kill_at_s: float | None = None

    def signal(self, number: int) -> None:
        """Send a signal to the main process alone: its pid may be another's by now, its descriptor never is."""
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(self.pidfd, signal.Signals(number))

    def kill(self) -> None:
        """Kill everything in the unit at once."""
        _systemctl("kill", "--signal=SIGKILL", self.name)

    def status(self) -> int:
        """Return the exit status, or minus the number of the signal; call it only once `runner` has ended.

        It is -9 at the end of the unit's memory or time, whatever the program made of that. It is 0 after SIGTERM,
        SIGINT, SIGHUP and SIGPIPE: systemd takes these for a clean end, and forgets such a unit at once.
        """
        code = self.runner.wait()
        if code in _AMBIGUOUS:
            code = _status_of_failed(self.name, code)
        _systemctl("reset-failed", self.name)
        os.close(self.pidfd)
        return code


def start(
    config: Config,
    name: str,
    role: str,
    namespace: str,
    place: str,
    cpus: tuple[int, ...],
    words: dict[str, Any],
    outputs: Sequence[int],
    user: str = "",
) -> tuple[Unit, float] | dict[str, Any]:
    """Start a unit; return it and when its program began (CLOCK_MONOTONIC, s), or which step failed. Raises Refused."""
    own_socket, unit_socket = socket.socketpair()
    with own_socket, unit_socket:
        own_socket.settimeout(_STARTS_WITHIN_S)
        runner = subprocess.Popen(
            run_words(name, properties(config, role, namespace, place, cpus, user), START),
            stdin=unit_socket.fileno(),
            stdout=outputs[0],
            stderr=outputs[-1],
            start_new_session=True,
        )
        unit_socket.close()
        own_socket.sendall(json.dumps({**words, "cpus": list(cpus)}).encode() + b"\n")
        try:
            answer, pidfd = _read_answer(own_socket)
        except (TimeoutError, ValueError, ConnectionError):
            runner.kill()
            runner.wait()
            _systemctl("stop", name)
            raise Refused(f"systemd did not start a unit for {role}; `journalctl -u {name}` says why") from None
    if pidfd is None:
        runner.wait()
        _systemctl("reset-failed", name)
        return {"errno": answer["errno"], "step": answer["step"]}
    _await_exec(answer["pid"])
    return Unit(name, answer["pid"], pidfd, runner, user), answer["started_at_s"]


def stop(pattern: str) -> None:
    """End all units of that pattern, and wait until they have ended."""
    _systemctl("stop", pattern)
    _systemctl("reset-failed", pattern)


def start_slice(name: str, cpus: tuple[int, ...]) -> None:
    """Start a slice whose control group has these CPUs."""
    _systemctl("set-property", "--runtime", name, f"AllowedCPUs={' '.join(map(str, cpus))}")
    _systemctl("start", name)


def end_slices(names: Sequence[str]) -> None:
    """End slices with everything in them, and forget their settings."""
    if names:
        _systemctl("stop", *names)
        _systemctl("revert", *names)


def _await_exec(pid: int) -> None:
    """Wait until the process has become the program: the next look at it must not see `start`."""
    own_command = "\0".join(START).encode()
    end_s = time.monotonic() + _EXEC_S
    while time.monotonic() < end_s:
        try:
            if not Path(f"/proc/{pid}/cmdline").read_bytes().startswith(own_command):
                return
        except OSError:
            return
        time.sleep(_LOOK_S)


def _read_answer(connection: socket.socket) -> tuple[dict[str, Any], int | None]:
    """Return the answer of the first program, and the descriptor of its process unless it failed."""
    received, descriptors = b"", list[int]()
    while not received.endswith(b"\n") and len(received) < _ANSWER_BYTES:
        part, part_descriptors, _, _ = socket.recv_fds(connection, _ANSWER_BYTES, 1)
        descriptors += part_descriptors
        if not part:
            raise ConnectionError
        received += part
    answer = json.loads(received)
    if not isinstance(answer, dict) or ("errno" in answer) is bool(descriptors):
        raise ValueError
    return answer, descriptors[0] if descriptors else None


def _status_of_failed(name: str, code: int) -> int:
    """Return the status of a unit that systemd keeps as failed; `code` unless the unit's properties say better."""
    shown = _systemctl("show", "--property=Result,ExecMainCode,ExecMainStatus", name)
    words = dict(line.partition("=")[::2] for line in shown.splitlines())
    if words.get("Result") in _OUT_OF_MEMORY_OR_TIME:
        return -signal.SIGKILL
    return -int(words["ExecMainStatus"]) if words.get("ExecMainCode") in _BY_SIGNAL else code


def _systemctl(*words: str) -> str:
    process = subprocess.run(["systemctl", "--quiet", *words], capture_output=True, text=True, check=False)
    return process.stdout.strip()
