"""Shared memory that a killed PostgreSQL left: it outlives every process, and the data directory that names it.

A server that ends by itself removes its own. After SIGKILL a segment of System V stays (56 bytes, named by the seventh
line of `postmaster.pid`), and files `/dev/shm/PostgreSQL.N`, which no file names:
https://www.postgresql.org/docs/18/kernel-resources.html
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Iterator
from pathlib import Path

_PID_FILE = "postmaster.pid"
_PREFIX = "PostgreSQL."
_IPC_RMID = 0
# Rows of /proc/sysvipc/shm: key shmid perms size cpid lpid nattch uid ...
_SHMID, _ATTACHED, _OWNER = 1, 6, 7


def release_shared_memory(
    below: Path,
    proc: Path = Path("/proc"),
    shm: Path = Path("/dev/shm"),
    remove_segment: Callable[[int], bool] | None = None,
) -> tuple[str, ...]:
    """Remove what the dead servers with a data directory below a folder left; a sentence for each thing removed.

    A segment that a process still has attached is spared, and so are the files of a user who runs any PostgreSQL.
    """
    files = sorted(below.glob(f"**/{_PID_FILE}"))
    owners = {path.lstat().st_uid for path in files}
    segments = {number for path in files for number in _segments(path)}
    removed = []
    for number, attached, owner in _of_system_v(proc):
        ours = number in segments and owner in owners and not attached
        if ours and (remove_segment or _remove_segment)(number):
            removed.append(f"segment {number} of System V shared memory")
    idle = owners - _running_postgres(proc)
    for path in sorted(shm.glob(f"{_PREFIX}*")) if idle else ():
        if path.lstat().st_uid in idle:
            path.unlink(missing_ok=True)
            removed.append(str(path))
    return tuple(removed)


def _segments(path: Path) -> Iterator[int]:
    """The segment that a server wrote into its pid file, as `key shmid`."""
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return
    words = lines[6].split() if len(lines) > 6 else []
    if len(words) == 2 and words[1].isdigit():
        yield int(words[1])


def _of_system_v(proc: Path) -> Iterator[tuple[int, int, int]]:
    """(segment, how many have it attached, uid of the owner)."""
    try:
        rows = (proc / "sysvipc" / "shm").read_text().splitlines()[1:]
    except OSError:
        return
    for row in rows:
        words = row.split()
        yield int(words[_SHMID]), int(words[_ATTACHED]), int(words[_OWNER])


def _remove_segment(number: int) -> bool:
    return bool(ctypes.CDLL(None).shmctl(number, _IPC_RMID, None) == 0)


def _running_postgres(proc: Path) -> set[int]:
    """Users who run a PostgreSQL."""
    found = set()
    for folder in proc.iterdir():
        if folder.name.isdigit():
            try:
                if (folder / "comm").read_text().strip() == "postgres":
                    found.add(os.stat(folder).st_uid)
            except OSError:
                continue
    return found
