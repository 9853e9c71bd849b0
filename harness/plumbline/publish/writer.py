"""Writes the files that are of no single session, as far as they are other than before."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from .output import Written, stamp, write
from .state import State


class Writer:
    """`files` is every file that was put, `written` counts those that had to be written."""

    def __init__(self, out: Path, before: State, after: State, here: Mapping[str, int]) -> None:
        self._out, self._before, self._after, self._here = out, before, after, here
        self.files: dict[str, Written] = {}
        self.written = 0

    def put(self, path: str, made_of: str | None, content_of: Callable[[], bytes]) -> None:
        """One file. Where `made_of` is that of the last run its content need not be made again."""
        known = self._before.files.get(path)
        there = known is not None and self._here.get(path) == known[0]
        if made_of is not None:
            self._after.made[path] = made_of
            if there and known is not None and self._before.made.get(path) == made_of:
                self.files[path] = known
                return
        content = content_of()
        its = stamp(content)
        if not there or known != its:
            write(self._out, path, content)
            self.written += 1
        self.files[path] = its
