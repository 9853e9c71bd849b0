"""Processes of a session, found by the mark in their environment or by their parents, and their end.

The mark alone is not enough: PostgreSQL's backends overwrite their environment with the title that `ps`
shows, and a process of another user can't be read without the right to trace it. Both are descendants of a
process that can be read.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

MARK = "PLUMBLINE_SESSION"


def session_of(proc: Path, pid: int) -> str | None:
    """Return the session in the environment of a process; None without a session or a readable process."""
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
    """Return living process -> its parent; zombies are left out, since they only wait to be reaped."""
    parent_of: dict[int, int] = {}
    for pid in pids(proc):
        try:
            content = (proc / str(pid) / "stat").read_bytes()
        except OSError:
            continue
        state, parent = content[content.rindex(b")") + 2 :].split()[:2]
        if state not in (b"Z", b"X"):
            parent_of[pid] = int(parent)
    return parent_of


def with_descendants(roots: set[int], parent_of: dict[int, int]) -> set[int]:
    """Return the roots and all processes that descend from them."""
    family = set(roots)
    while children := {pid for pid, parent in parent_of.items() if parent in family} - family:
        family |= children
    return family


def end_all(find: Callable[[], set[int]], within_s: float) -> set[int]:
    """Kill the processes that `find` returns until it returns none, for at most `within_s`; return those that live."""
    end_s = time.monotonic() + within_s
    while survivors := find():
        for pid in survivors:
            try:
                os.kill(pid, signal.SIGKILL)
            except (ProcessLookupError, PermissionError):
                continue
        if time.monotonic() > end_s:
            return survivors
        time.sleep(0.02)
    return set()
