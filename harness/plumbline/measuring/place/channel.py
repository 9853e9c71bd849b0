"""Speaks JSON lines with whoever starts processes for us: requests and their answers, and news of ends.

request  {"id": 1, "do": "...", ...}
answer   {"id": 1, ...}
news     {"exited": 4711, "status": 0}      minus the signal's number when a signal ended it
"""

from __future__ import annotations

import contextlib
import json
import socket
import threading
from collections.abc import Callable, Sequence
from typing import Any

from plumbline.model.errors import PlumblineError


class Channel:
    """A connection to a root service. Any thread may ask. `gone` makes the error for when the other side is no longer
    there.
    """

    def __init__(self, connection: socket.socket, gone: Callable[[], PlumblineError]) -> None:
        self._socket = connection
        self._is_gone = gone
        self._sending = threading.Lock()
        self._news = threading.Condition()
        self._answers: dict[int, dict[str, Any]] = {}
        self._exits: dict[int, int] = {}
        self._last_id = 0
        self._gone = False
        self._reader = threading.Thread(target=self._read, name="line", daemon=True)
        self._reader.start()

    def ask(self, descriptors: Sequence[int] = (), **words: Any) -> dict[str, Any]:
        """Send one request, with open descriptors (Unix sockets carry them), and wait for its answer."""
        with self._sending:
            self._last_id += 1
            number = self._last_id
            message = json.dumps({"id": number, **words}).encode() + b"\n"
            with contextlib.suppress(OSError):
                sent = socket.send_fds(self._socket, [message], list(descriptors)) if descriptors else 0
                self._socket.sendall(message[sent:])
        with self._news:
            self._news.wait_for(lambda: self._gone or number in self._answers)
            if number not in self._answers:
                raise self._is_gone()
            return self._answers.pop(number)

    def exit_of(self, pid: int, timeout_s: float | None) -> int | None:
        """Return the exit status of a process, or None when it still runs after `timeout_s`; None waits for ever."""
        with self._news:
            self._news.wait_for(lambda: self._gone or pid in self._exits, timeout_s)
            if pid not in self._exits and self._gone:
                raise self._is_gone()
            return self._exits.get(pid)

    def hang_up(self) -> None:
        """Say that nothing more will be asked; the other side ends everything. May be called twice."""
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_WR)

    def close(self) -> None:
        """Wait until the other side has closed, too."""
        self._reader.join()
        self._socket.close()

    def _read(self) -> None:
        with self._socket.makefile("rb") as lines, contextlib.suppress(OSError):
            for line in lines:
                words = json.loads(line)
                with self._news:
                    if "exited" in words:
                        self._exits[words["exited"]] = words["status"]
                    else:
                        self._answers[words["id"]] = words
                    self._news.notify_all()
        with self._news:
            self._gone = True
            self._news.notify_all()
