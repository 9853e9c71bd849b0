"""Where the kernel tells about the machine. Tests hand in recorded trees."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

# USER_HZ, the unit of /proc/stat and /proc/PID/stat, is 100 on every architecture that Linux runs JVMs on.
TICK_US = 10_000


@dataclass(frozen=True)
class Roots:
    """The mount points of procfs and sysfs."""

    proc: Path = Path("/proc")
    sys: Path = Path("/sys")
