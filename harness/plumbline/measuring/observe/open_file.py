"""A small file of the kernel, kept open: reading it again costs a third of opening it again."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from plumbline.measuring.place.interface import Account

# The largest such file is /proc/stat: about 64 bytes a CPU and interrupt line of a server with hundreds of each.
_CHUNK = 1 << 16

# The kernel hands out long files in parts of up to a page, cut between lines: a part this short was the last.
_WHOLE = 2048


class OpenFile:
    """A file that is read from its start each time. A file that is not there (yet, or any more) reads as None."""

    def __init__(self, path: str | Path) -> None:
        self.path = path
        self._descriptor: int | None = None

    def read(self) -> bytes | None:
        """Return all bytes of the file now, or None when it or its process does not exist or may not be read."""
        try:
            if self._descriptor is None:
                self._descriptor = os.open(self.path, os.O_RDONLY | os.O_CLOEXEC)
            content = os.pread(self._descriptor, _CHUNK, 0)
            while len(content) > _WHOLE and (part := os.pread(self._descriptor, _CHUNK, len(content))):
                content += part
            return content
        except OSError:
            self.close()
            return None

    def close(self) -> None:
        """Close the file; the next read opens it anew."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def read_once(path: str | Path) -> bytes | None:
    """Return all bytes of a file that is read only now and then; None if the file can't be read."""
    file = OpenFile(path)
    content = file.read()
    file.close()
    return content


def find_account(folders: Mapping[Account, Path], *names: str) -> OpenFile | None:
    """Return the first of `names` that exists in one of a role's cgroup folders; None when the host has none."""
    for name in names:
        for folder in dict.fromkeys(folders.values()):
            if (folder / name).exists():
                return OpenFile(folder / name)
    return None


def keyed(content: bytes) -> dict[bytes, int]:
    """Return lines of `name value` as a dictionary; lines of another form are left out."""
    pairs = (line.split() for line in content.splitlines())
    return {pair[0]: int(pair[1]) for pair in pairs if len(pair) == 2 and pair[1].isdigit()}


def number_after(content: bytes, label: bytes) -> int | None:
    """Return the number that follows the first `label`, blanks between them skipped; None when there is none."""
    start = content.find(label)
    if start < 0:
        return None
    words = content[start + len(label) : start + len(label) + 32].split(None, 1)
    return int(words[0]) if words and words[0].isdigit() else None
