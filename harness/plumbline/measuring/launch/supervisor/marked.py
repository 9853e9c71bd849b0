"""Processes of a session, found by the mark in their environment or by their parents, and their end.

The mark alone is not enough: PostgreSQL's backends overwrite their environment with the title that `ps`
shows, and a process of another user can't be read without the right to trace it. Both are descendants of one
that can.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

MARK = "PLUMBLINE_SESSION"


def session_of(proc: Path, pid: int) -> str | None:
    """Return the session in the environment of a process; None when it has none, is gone, or may not be read."""
    try:
        content = (proc / str(pid) / "environ").read_bytes()
    except OSError:
        return None
    for variable in content.split(b"\0"):
        name, _, value = variable.partition(b"=")
        if name == MARK.encode():
            return os.fsdecode(value)
    return None


def pids(proc: Path) -> list[int]:
    """Return the ids of all processes below `proc` (/proc), in ascending order."""
    return sorted(int(entry.name) for entry in proc.iterdir() if entry.name.isdigit())


def parents(proc: Path) -> dict[int, int]:
    """Return living process -> its parent; zombies are left out, they only wait to be counted."""
    found: dict[int, int] = {}
    for pid in pids(proc):
        try:
            content = (proc / str(pid) / "stat").read_bytes()
        except OSError:
            continue
        state, parent = content[content.rindex(b")") + 2 :].split()[:2]
        if state not in (b"Z", b"X"):
            found[pid] = int(parent)
    return found


def with_descendants(roots: set[int], parent_of: dict[int, int]) -> set[int]:
    """Return the roots and all that descend from them."""
    found = set(roots)
    while more := {pid for pid, parent in parent_of.items() if parent in found} - found:
        found |= more
    return found


def end_all(find: Callable[[], set[int]], within_s: float) -> set[int]:
    """Kill what `find` finds until it finds nothing, for at most `within_s`; those that still live."""
    end_s = time.monotonic() + within_s
    while left := find():
        for pid in left:
            try:
                os.kill(pid, signal.SIGKILL)
            except (ProcessLookupError, PermissionError):
                continue
        if time.monotonic() > end_s:
            return left
        time.sleep(0.02)
    return set()
