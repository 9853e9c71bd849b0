"""Files that are either there as a whole or not at all, and survive a power cut."""

from __future__ import annotations

import os
from pathlib import Path

from plumbline.model.errors import CannotGoOn


def write_whole(path: Path, content: bytes) -> None:
    """Write beside, flush to the disk, rename. Raises CannotGoOn when the disk is full or not to be written."""
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with beside.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        beside.rename(path)
        flush_folder(path.parent)
    except OSError as error:
        beside.unlink(missing_ok=True)
        raise CannotGoOn(
            f"{path} could not be written: {error.strerror}.", "Make room there, and resume."
        ) from error


def flush_folder(folder: Path) -> None:
    """Wait until the names in a folder are on the disk."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
