"""Files that are written whole or not at all and survive a power cut, and plain files that others may have made."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from plumbline.model.errors import AnswerIsNo, CannotGoOn


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


def is_plain(path: Path) -> bool:
    """Return whether a path names a file with bytes of its own: no link, no pipe, no folder."""
    try:
        return stat.S_ISREG(os.lstat(path).st_mode)
    except OSError:
        return False


def read_plain(path: Path, most: int) -> bytes:
    """Return the bytes of a plain file. Raises AnswerIsNo for any other, for more than `most` bytes, and for none.

    Never waits: a pipe is opened without anybody at its other end, and then refused.
    """
    try:
        with open(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise AnswerIsNo(f"{path.name} is no plain file.")
            content = file.read(most + 1)
    except FileNotFoundError:
        raise AnswerIsNo(f"{path.name} is missing.") from None
    except OSError as error:
        why = (
            "is no plain file"
            if os.path.lexists(path) and not is_plain(path)
            else f"cannot be read: {error.strerror}"
        )
        raise AnswerIsNo(f"{path.name} {why}.") from None
    if len(content) > most:
        raise AnswerIsNo(f"{path.name} has more bytes than the {most:,} that are the most that is kept.")
    return content
