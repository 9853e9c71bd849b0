"""Finds and ends the processes that a dead session left behind, by their mark."""

from __future__ import annotations

import os
from pathlib import Path

from plumbline.measuring.launch.supervisor import marked

END_WITHIN_S = 3.0


def sessions(proc: Path) -> dict[str, tuple[int, ...]]:
    """Return the living processes (marked ones and descendants) of each session but those we descend from."""
    parent_of = marked.parents(proc)
    spared = _forebears(parent_of)
    found: dict[str, set[int]] = {}
    for pid in parent_of:
        session = marked.session_of(proc, pid)
        if session is not None and pid not in spared:
            found.setdefault(session, set()).add(pid)
    return {
        session: tuple(sorted(marked.with_descendants(roots, parent_of) - spared))
        for session, roots in sorted(found.items())
    }


def end_session(proc: Path, session: str) -> tuple[int, ...]:
    """Kill every process of a session; those that withstood (of another user, or stuck in the kernel)."""
    left = marked.end_all(lambda: set(sessions(proc).get(session, ())), END_WITHIN_S)
    return tuple(sorted(left))


def _forebears(parent_of: dict[int, int]) -> set[int]:
    pid = os.getpid()
    found = {pid}
    while (pid := parent_of.get(pid, 0)) and pid not in found:
        found.add(pid)
    return found
