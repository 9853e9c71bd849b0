"""A server that answers in a chosen way, for the tests of the load."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


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
        """End the server; return how many requests it got."""
        self._popen.terminate()
        requests = int(self._line())
        self._popen.wait()
        assert self._popen.stdout is not None
        self._popen.stdout.close()
        return requests

    def kill(self) -> None:
        self._popen.kill()
        self._popen.wait()

    @property
    def running(self) -> bool:
        return self._popen.poll() is None
