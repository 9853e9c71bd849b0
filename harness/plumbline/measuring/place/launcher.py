"""The sandbox of this host, if it has one: a root service behind a Unix socket, and the requests to it.

runner-setup/launcher/ is the other side, and says what each request means.
"""

from __future__ import annotations

import base64
import os
import socket
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from plumbline.measuring.place.channel import Channel
from plumbline.model.errors import CannotGoOn, UsageError

SOCKET = Path("/run/plumbline/launcher.sock")
# The launcher sets this variable for a program that it starts in a namespace.
INSIDE = "PLUMBLINE_SANDBOX"


class Launcher:
    """A connection, which is one session: whatever the session started ends when the connection is closed."""

    def __init__(self, path: Path | None = None) -> None:
        """Connect to the launcher. Raises UsageError if no launcher listens, or if this user may not connect."""
        path = path or SOCKET
        connection = socket.socket(socket.AF_UNIX)
        try:
            connection.connect(str(path))
        except OSError as error:
            connection.close()
            raise UsageError(
                f"This host has no sandbox for this user: {path} answers '{error.strerror}'.",
                "Install the launcher (docs/operate.md), or run with --sandbox off what you trust.",
            ) from None
        self._channel = Channel(connection, _launcher_ended)

    def ask(self, descriptors: Sequence[int] = (), **fields: Any) -> dict[str, Any]:
        """Send a request, and return the answer. Raises CannotGoOn with the launcher's own sentence for a refusal."""
        answer = self._channel.ask(descriptors, **fields)
        if "refused" in answer:
            raise CannotGoOn(f"The sandbox refuses: {answer['refused']}.", "Its journal says more.")
        return answer

    def exit_of(self, pid: int, timeout_s: float | None) -> int | None:
        """Return the exit status of a process, or None when it still runs after `timeout_s`; None waits for ever."""
        return self._channel.exit_of(pid, timeout_s)

    def read(self, pid: int, file: str) -> bytes | None:
        """Return a file of /proc/PID that only root may read, or a JVM's counters (`hsperfdata`); None when the process
        is gone, or where an older launcher does not read that file.
        """
        content = self._channel.ask(do="read", pid=pid, file=file).get("content")
        return None if content is None else base64.b64decode(content)

    def close(self) -> None:
        """End everything that was started over this connection. May be called twice."""
        self._channel.hang_up()
        self._channel.close()


def enter(launcher: Launcher, argv: Sequence[str], cwd: Path, env: Mapping[str, str]) -> int:
    """Run a program of ours in a namespace of its own, with our output; return its exit status.

    Interruptions are passed on to the program, which decides how to end.
    """
    answer = launcher.ask((1, 2), do="enter", argv=list(argv), cwd=str(cwd), env=dict(env))
    if "errno" in answer:
        raise UsageError(f"{argv[0]} can't be started in the sandbox: {os.strerror(answer['errno'])}.", "")
    while True:
        try:
            status = launcher.exit_of(answer["pid"], None)
            assert status is not None
            return status
        except KeyboardInterrupt:
            launcher.ask(do="signal", pid=answer["pid"], number=2)


def _launcher_ended() -> CannotGoOn:
    return CannotGoOn(
        "The sandbox's launcher has ended, and with it every process in the sandbox.",
        "Go on: `./bench list` says how.",
    )
