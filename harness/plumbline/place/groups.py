"""What both versions of control groups share: making and removing their folders, and the name of a folder's disk."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterable
from pathlib import Path

from plumbline.model.errors import CannotGoOn

PREFIX = "plumbline."

# The kernel lets go of a group a moment after its last process was reaped.
REMOVE_WITHIN_S = 2.0
NO_DISK = (
    "The files below {folder} lie on no disk of their own (a tmpfs, an overlay), so writes can't be slowed."
)


def group_name(session: str, role: str) -> str:
    """Return `plumbline.<session>.<role>`: whose group it is can be read from its name."""
    return f"{PREFIX}{session}.{role}"


def session_of(name: str) -> str | None:
    """Return the session that made a group of that name; None when it is not one of ours."""
    if not name.startswith(PREFIX) or name.count(".") < 2:
        return None
    return name.removeprefix(PREFIX).rpartition(".")[0]


def make(folder: Path) -> None:
    """Make a group; one left there by the same session is taken over."""
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise CannotGoOn(
            f"The control group {folder} can't be made: {error.strerror}.",
            "Run again; `./bench doctor` says more.",
        ) from error


def put(file: Path, text: str) -> None:
    """Write one value to a file of a group. Raises CannotGoOn with the kernel's reason."""
    try:
        file.write_text(text)
    except OSError as error:
        raise CannotGoOn(
            f"The kernel refuses '{text}' for {file}: {error.strerror}.",
            "Run again; `./bench doctor` says more.",
        ) from error


def remove(folders: Iterable[Path]) -> None:
    """Remove groups. One that still holds a process after a moment stays."""
    left = list(folders)
    end_s = time.monotonic() + REMOVE_WITHIN_S
    while left := [folder for folder in left if not _removed(folder)]:
        if time.monotonic() > end_s:
            return
        time.sleep(0.02)


def sweep(parents: Iterable[Path], alive: frozenset[str]) -> tuple[Path, ...]:
    """Remove the groups below `parents` whose session is not alive, and return the removed ones."""
    gone: list[Path] = []
    for parent in parents:
        with contextlib.suppress(OSError):
            for folder in sorted(parent.glob(f"{PREFIX}*")):
                session = session_of(folder.name)
                if session is not None and session not in alive and _removed(folder):
                    gone.append(folder)
    return tuple(gone)


def writable(folder: Path, *files: str) -> bool:
    """Return whether groups can be made in that folder and those of its files be written."""
    return os.access(folder, os.W_OK | os.X_OK) and all(os.access(folder / file, os.W_OK) for file in files)


def _removed(folder: Path) -> bool:
    try:
        folder.rmdir()
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return True


def disk_of(folder: Path, sys: Path = Path("/sys")) -> str | None:
    """Return `major:minor` of the whole disk below a folder, also where it lies on a partition; None without a disk."""
    device = os.stat(folder).st_dev
    place = sys / "dev" / "block" / f"{os.major(device)}:{os.minor(device)}"
    if not place.exists():
        return None
    whole = place.resolve().parent if (place / "partition").exists() else place.resolve()
    try:
        return (whole / "dev").read_text().strip()
    except OSError:
        return None
