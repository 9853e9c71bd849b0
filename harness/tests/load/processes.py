"""Processes for the tests of the load: a spawner without placement, and a server that answers as told."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

from plumbline.launch.face import Process


class Started:
    """A process as the launch room's face has it."""

    def __init__(self, popen: subprocess.Popen[bytes], stop_signal: int) -> None:
        self._popen = popen
        self._stop_signal = stop_signal
        self.spawned_at_s = time.monotonic()

    @property
    def pid(self) -> int:
        return self._popen.pid

    def poll(self) -> int | None:
        return self._popen.poll()

    def wait(self, timeout_s: float) -> int | None:
        try:
            return self._popen.wait(timeout_s)
        except subprocess.TimeoutExpired:
            return None

    def signal(self, number: int) -> None:
        self._popen.send_signal(number)

    def terminate(self, timeout_s: float) -> int | None:
        self._popen.send_signal(self._stop_signal)
        if self.wait(timeout_s) is None:
            self._popen.kill()
        return self._popen.wait()


class PlainSpawner:
    """Starts processes where it stands; remembers how."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, list[str], dict[str, str]]] = []
        self.started: list[Started] = []

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
    ) -> Process:
        self.calls.append((role, argv, env))
        with stdout.open("ab") as out:
            popen = subprocess.Popen(argv, cwd=cwd, env=env, stdout=out, stderr=subprocess.STDOUT)
        self.started.append(Started(popen, stop_signal))
        return self.started[-1]


class Server:
    """A tiny server in a process of its own."""

    def __init__(self, behaviour: str, body: str) -> None:
        program = Path(__file__).with_name("tiny_server.py")
        self._popen = subprocess.Popen([sys.executable, program, behaviour, body], stdout=subprocess.PIPE)
        self.url = f"http://127.0.0.1:{int(self._line())}"

    def _line(self) -> bytes:
        assert self._popen.stdout is not None
        return self._popen.stdout.readline()

    def stop(self) -> int:
        """Ends it; how many requests it was asked."""
        self._popen.terminate()
        asked = int(self._line())
        self._popen.wait()
        assert self._popen.stdout is not None
        self._popen.stdout.close()
        return asked

    def kill(self) -> None:
        self._popen.kill()
        self._popen.wait()

    @property
    def running(self) -> bool:
        return self._popen.poll() is None
