"""Files and folders that an application may have made: opened without a wait, removed however deep they are."""

from __future__ import annotations

import errno
import os
import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO


def open_regular(path: Path) -> BinaryIO:
    """Open a regular file to be read. Raises OSError for anything else in its place: a link is not followed, and to
    open a pipe waits for nobody.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "no regular file", str(path))
    return os.fdopen(descriptor, "rb")


def heads_of_lines(file: BinaryIO, most_bytes: int) -> Iterator[tuple[bytes, int]]:
    """Yield the head of each line, of at most so many bytes, and the length of the whole line: a file may be one line
    that is larger than the memory.
    """
    while head := file.readline(most_bytes):
        length, part = len(head), head
        while not part.endswith(b"\n") and (part := file.readline(most_bytes)):
            length += len(part)
        yield head, length


def remove_tree(folder: Path) -> None:
    """Remove a folder with all that is in it; what can't be removed stays, and nothing is raised.

    Python's own `rmtree` calls itself for each folder within a folder, and ends where an application made a thousand.
    """
    subprocess.run(["rm", "-rf", "--", str(folder)], stdin=subprocess.DEVNULL, capture_output=True, check=False)
