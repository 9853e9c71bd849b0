"""Checks the room on the disk before a session and before every trial, so that a full disk spoils no trial."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from plumbline.machine.host.paths import Paths
from plumbline.model.errors import CannotGoOn, UsageError

_FREE_SOME = "Free some space (`./bench clean` shows ours)"

FreeBytes = Callable[[Path], int]


def free_bytes(folder: Path) -> int:
    """Return how many bytes this process may still write in the file system of an existing folder."""
    stat = os.statvfs(folder)
    return stat.f_bavail * stat.f_frsize


@dataclass(frozen=True)
class Room:
    """The bytes that a folder of a session must have left: when the session begins, and before each trial."""

    folder: Path
    session: int
    trial: int


# Caches of the variants of the tree have 40 to 49 MB.
_CACHE_BYTES = 64 * 2**20


def rooms(paths: Paths, caches: int = 0) -> tuple[Room, ...]:
    """Return the folders and the bytes that they need: scratch takes a new database with its WAL, and so many AOT
    caches; results take evidence, logs and a copy of the caches until the session ends.
    """
    of_caches = caches * _CACHE_BYTES
    return (
        Room(paths.scratch, 512 * 2**20 + of_caches, 64 * 2**20),
        Room(paths.results, 64 * 2**20 + of_caches, 8 * 2**20),
    )


def require_room(paths: Paths, free: FreeBytes, caches: int) -> None:
    """Check the room before a session that trains so many AOT caches. Raises UsageError for a folder that is full, or
    may not be written.
    """
    for room in rooms(paths, caches):
        existing = _nearest_existing(room.folder)
        if not os.access(existing, os.W_OK | os.X_OK):
            raise UsageError(
                f"{room.folder} may not be written.",
                "Work in a checkout of your own; PLUMBLINE_SCRATCH names another place for scratch.",
            )
        if (left_bytes := free(existing)) < room.session:
            raise UsageError(
                f"The disk is full: {room.folder} has {left_bytes / 1e6:.0f} MB left, and a session needs "
                f"{room.session / 1e6:.0f}.",
                f"{_FREE_SOME}, then run again.",
            )


def require_room_for_trial(paths: Paths, free: FreeBytes) -> None:
    """Check the room before and after a trial. Raises CannotGoOn when there is too little room for another trial."""
    for room in rooms(paths):
        if (left_bytes := free(_nearest_existing(room.folder))) < room.trial:
            raise _disk_is_full(f"{room.folder} has {left_bytes / 1e6:.0f} MB left")


def out_of_room(paths: Paths, free: FreeBytes) -> CannotGoOn:
    """Return the error of a write for which there was no room: it names the folder with the least room left."""
    left_bytes, folder = min((free(_nearest_existing(room.folder)), str(room.folder)) for room in rooms(paths))
    return _disk_is_full(f"{folder} has {left_bytes / 1e6:.0f} MB left")


def _disk_is_full(where: str) -> CannotGoOn:
    return CannotGoOn(
        f"The disk is full: {where}. What was measured is kept.",
        f"{_FREE_SOME}, then go on: `./bench list` says how.",
    )


def says_full(error: OSError) -> bool:
    """Return whether an error of the file system means that there is no room."""
    return error.errno in (errno.ENOSPC, errno.EDQUOT)


def _nearest_existing(folder: Path) -> Path:
    """Return the folder, or the nearest one above it that exists."""
    while not folder.is_dir() and folder != folder.parent:
        folder = folder.parent
    return folder
