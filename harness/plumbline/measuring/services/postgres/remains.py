"""Remove the shared memory of a killed PostgreSQL, which outlives every process and the data directory that names it.

A server that ends by itself removes its shared memory. After SIGKILL a segment of System V stays (56 bytes, named by
the seventh line of `postmaster.pid`), and files `/dev/shm/PostgreSQL.N`. The segment names the first of these files,
which lists the others, as the server itself would read them at its next start: `PGShmemHeader` in storage/pg_shmem.h
and `dsm_control_header` in storage/ipc/dsm.c of PostgreSQL 18.
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable, Iterator
from pathlib import Path

_PID_FILE = "postmaster.pid"
_HEADER_BYTES, _HEADER_MAGIC, _CONTROL_AT = 56, 679834894, 24
_LIST_MAGIC, _ITEMS_AT, _ITEM_BYTES = 0x9A503D32, 16, 40
_IPC_RMID, _SHM_RDONLY = 0, 0o10000
# Rows of /proc/sysvipc/shm: key shmid perms size cpid lpid nattch uid ...
_SHMID, _SIZE, _ATTACHED, _OWNER = 1, 3, 6, 7


def release_shared_memory(below: Path, proc: Path = Path("/proc")) -> tuple[str, ...]:
    """Remove what the dead servers with a data directory below a folder left; return a name for each removed thing.

    A segment that a process has attached belongs to a living server, and is spared with its files.
    """
    return release_segments(below, _segments_of_system_v(proc), _content, _remove, Path("/dev/shm"))


def release_segments(
    below: Path,
    segments: Iterator[tuple[int, int]],
    content: Callable[[int], bytes],
    remove: Callable[[int], bool],
    shm: Path,
) -> tuple[str, ...]:
    """Do the same with given `segments` (number, uid of the owner), attached by no process, and given functions."""
    owners = {
        number: path.lstat().st_uid for path in below.glob(f"**/{_PID_FILE}") for number in _segments_named_in(path)
    }
    removed = []
    for number, owner in segments:
        if owners.get(number) != owner:
            continue
        for path in _files(content(number), shm):
            if path.is_file() and path.lstat().st_uid == owner:
                path.unlink()
                removed.append(str(path))
        if remove(number):
            removed.append(f"segment {number} of System V shared memory")
    return tuple(removed)


def _segments_named_in(path: Path) -> Iterator[int]:
    """Yield the segment that a server wrote into its pid file, as `key shmid`."""
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    words = lines[6].split() if len(lines) > 6 else []
    if len(words) == 2 and words[1].isdigit():
        yield int(words[1])


def _files(header: bytes, shm: Path) -> Iterator[Path]:
    """Yield the files that a segment's content leads to, the list itself last."""
    if len(header) < _HEADER_BYTES or struct.unpack_from("=i", header)[0] != _HEADER_MAGIC:
        return
    listing = shm / f"PostgreSQL.{struct.unpack_from('=I', header, _CONTROL_AT)[0]}"
    try:
        content = listing.read_bytes()
    except OSError:
        return
    magic, count = struct.unpack_from("=II", content) if len(content) >= _ITEMS_AT else (0, 0)
    if magic == _LIST_MAGIC:
        for index in range(min(count, (len(content) - _ITEMS_AT) // _ITEM_BYTES)):
            handle, used = struct.unpack_from("=II", content, _ITEMS_AT + index * _ITEM_BYTES)
            if used:
                yield shm / f"PostgreSQL.{handle}"
    yield listing


def _segments_of_system_v(proc: Path) -> Iterator[tuple[int, int]]:
    """Yield segments of a server's size that no process has attached, with the uid of their owner."""
    try:
        rows = (proc / "sysvipc" / "shm").read_text().splitlines()[1:]
    except OSError:
        return
    for columns in (row.split() for row in rows):
        if int(columns[_SIZE]) == _HEADER_BYTES and not int(columns[_ATTACHED]):
            yield int(columns[_SHMID]), int(columns[_OWNER])


def _content(number: int) -> bytes:
    libc = ctypes.CDLL(None)
    libc.shmat.restype = ctypes.c_void_p
    address = libc.shmat(number, None, _SHM_RDONLY)
    if address in (None, ctypes.c_void_p(-1).value):
        return b""
    content = ctypes.string_at(address, _HEADER_BYTES)
    libc.shmdt(ctypes.c_void_p(address))
    return content


def _remove(number: int) -> bool:
    return bool(ctypes.CDLL(None).shmctl(number, _IPC_RMID, None) == 0)
