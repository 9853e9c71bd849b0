"""Finds and ends the processes that a dead session left behind, by their mark."""

from __future__ import annotations

import os
from pathlib import Path

from plumbline.measuring.launch.supervisor import marked

END_WITHIN_S = 3.0


def sessions(proc: Path) -> dict[str, tuple[int, ...]]:
    """Return the living processes of each session, marked ones and their descendants, without our own ancestors."""
    parent_of = marked.parents(proc)
    spared = _ancestors(parent_of)
    marked_pids: dict[str, set[int]] = {}
    for pid in parent_of:
        session = marked.session_of(proc, pid)
        if session is not None and pid not in spared:
            marked_pids.setdefault(session, set()).add(pid)
    return {
        session: tuple(sorted(marked.with_descendants(roots, parent_of) - spared))
        for session, roots in sorted(marked_pids.items())
    }


def closed(proc: Path) -> tuple[int, ...]:
    """Return the processes whose environment may not be read, without threads of the kernel: they have no command."""
    return tuple(pid for pid in marked.parents(proc) if _is_closed(proc / str(pid)))


def end_session(proc: Path, session: str) -> tuple[int, ...]:
    """Kill every process of a session; return those that still live (of another user, or stuck in the kernel)."""
    survivors = marked.end_all(lambda: set(sessions(proc).get(session, ())), END_WITHIN_S)
    return tuple(sorted(survivors))


def _is_closed(process: Path) -> bool:
    try:
        if (process / "cmdline").read_bytes():
            (process / "environ").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        # The process has ended.
        return False
    except OSError:
        return True
    return False


def _ancestors(parent_of: dict[int, int]) -> set[int]:
    pid = os.getpid()
    ancestors = {pid}
    while (pid := parent_of.get(pid, 0)) and pid not in ancestors:
        ancestors.add(pid)
    return ancestors
