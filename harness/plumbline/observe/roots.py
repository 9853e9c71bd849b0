"""The folders in which the kernel tells about the machine. Tests hand in recorded trees."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from .open_file import read_once

# USER_HZ, the unit of /proc/stat and /proc/PID/stat, is 100 on every architecture that Linux runs JVMs on.
TICK_US = 10_000


@dataclass(frozen=True)
class Roots:
    """The mount points of procfs and sysfs.

    `rights` reads a file of /proc/PID that belongs to another user, where somebody may do that for us.
    """

    proc: Path = Path("/proc")
    sys: Path = Path("/sys")
    rights: Callable[[int, str], bytes | None] | None = None

    def of_process(self, pid: int, name: str) -> bytes | None:
        """Return a file of /proc/PID that is read now and then; None when the process is gone, or not ours to read."""
        content = read_once(self.proc / str(pid) / name)
        return content if content is not None or self.rights is None else self.rights(pid, name)
