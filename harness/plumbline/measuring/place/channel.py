"""Speaks JSON lines with the service that starts processes for us: requests, answers, and news of ended processes.

request  {"id": 1, "do": "...", ...}
answer   {"id": 1, ...}
news     {"exited": 4711, "status": 0}      the status is minus the signal's number when a signal ended the process
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
    """A connection to a root service. Any thread may ask. `gone` makes the error that is raised when the other side is
    no longer there.
    """

    def __init__(self, connection: socket.socket, gone: Callable[[], PlumblineError]) -> None:
        self._socket = connection
        self._gone_error = gone
        self._sending = threading.Lock()
        self._news = threading.Condition()
        self._answers: dict[int, dict[str, Any]] = {}
        self._exits: dict[int, int] = {}
        self._last_id = 0
        self._is_gone = False
        self._reader = threading.Thread(target=self._read, name="line", daemon=True)
        self._reader.start()

    def ask(self, descriptors: Sequence[int] = (), **fields: Any) -> dict[str, Any]:
        """Send one request, with open descriptors (Unix sockets carry them), and wait for its answer."""
        with self._sending:
            self._last_id += 1
            request_id = self._last_id
            message = json.dumps({"id": request_id, **fields}).encode() + b"\n"
            with contextlib.suppress(OSError):
                sent = socket.send_fds(self._socket, [message], list(descriptors)) if descriptors else 0
                self._socket.sendall(message[sent:])
        with self._news:
            self._news.wait_for(lambda: self._is_gone or request_id in self._answers)
            if request_id not in self._answers:
                raise self._gone_error()
            return self._answers.pop(request_id)

    def exit_of(self, pid: int, timeout_s: float | None) -> int | None:
        """Return the exit status of a process, or None when it still runs after `timeout_s`; None waits for ever."""
        with self._news:
            self._news.wait_for(lambda: self._is_gone or pid in self._exits, timeout_s)
            if pid not in self._exits and self._is_gone:
                raise self._gone_error()
            return self._exits.get(pid)

    def hang_up(self) -> None:
        """Tell the other side that no request follows; it then ends everything. May be called twice."""
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_WR)

    def close(self) -> None:
        """Wait until the other side has closed the connection, too."""
        self._reader.join()
        self._socket.close()

    def _read(self) -> None:
        with self._socket.makefile("rb") as lines, contextlib.suppress(OSError):
            for line in lines:
                message = json.loads(line)
                with self._news:
                    if "exited" in message:
                        self._exits[message["exited"]] = message["status"]
                    else:
                        # The kernel gives the id of an ended process to a later one, whose end is not known yet.
                        self._exits.pop(message.get("pid"), None)
                        self._answers[message["id"]] = message
                    self._news.notify_all()
        with self._news:
            self._is_gone = True
            self._news.notify_all()
