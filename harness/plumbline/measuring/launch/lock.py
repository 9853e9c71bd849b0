"""Lock the machine, so that only one run measures at a time, whoever starts it."""

from __future__ import annotations

import fcntl
import json
import os
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from plumbline.measuring.launch.supervisor.loop import BROUGHT_DOWN_WITHIN_S
from plumbline.model.errors import UsageError

# One path for all users, since they share the machine.
DEFAULT_PATH = Path("/var/tmp/plumbline.lock")


class MachineLock:
    """The machine's lock, held from `__enter__` to `__exit__`, and by every process that keeps `descriptor` open."""

    def __init__(self, path: Path = DEFAULT_PATH) -> None:
        self._path = path
        self.descriptor = -1

    def __enter__(self) -> MachineLock:
        """Take the lock. Raises UsageError with the holder's pid when another run has it.

        While the holder is dead and its supervisor still cleans up, this waits for the supervisor.
        """
        self.descriptor = self._open()
        end_s = time.monotonic() + BROUGHT_DOWN_WITHIN_S
        while not self._try_to_take():
            holder = self._holder()
            if _is_alive(holder.get("pid", 0)) or time.monotonic() > end_s:
                os.close(self.descriptor)
                raise UsageError(
                    f"Another run measures on this machine: process {holder.get('pid', 'unknown')}, "
                    f"since {holder.get('since', 'unknown')}.",
                    "Wait until it has ended, or stop it.",
                )
            time.sleep(0.1)
        since = datetime.now(UTC).isoformat(timespec="seconds")
        os.ftruncate(self.descriptor, 0)
        os.pwrite(self.descriptor, json.dumps({"pid": os.getpid(), "since": since}).encode(), 0)
        return self

    def __exit__(self, *error: object) -> None:
        # The file is closed, not unlocked: a supervisor that still cleans up shares the lock and goes on holding it.
        os.close(self.descriptor)

    def _open(self) -> int:
        flags = os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW
        try:
            try:
                # In a sticky folder the kernel refuses O_CREAT for a file of another user.
                return os.open(self._path, flags)
            except FileNotFoundError:
                descriptor = os.open(self._path, flags | os.O_CREAT | os.O_EXCL, 0o666)
        except FileExistsError:
            return os.open(self._path, flags)
        except OSError as error:
            raise UsageError(
                f"The lock {self._path} can't be opened: {error.strerror}.", "Ask its owner to remove it."
            ) from error
        # Whatever the umask says, the next user must be able to take the lock.
        os.fchmod(descriptor, 0o666)
        return descriptor

    def _try_to_take(self) -> bool:
        try:
            fcntl.flock(self.descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _holder(self) -> dict[str, Any]:
        try:
            holder = json.loads(os.pread(self.descriptor, 1000, 0))
        except ValueError:
            return {}
        return holder if isinstance(holder, dict) else {}


def _is_alive(pid: int) -> bool:
    if pid <= 0:
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
