"""Processes of a session that belong to nobody any more: what a program left behind when it ended.

A process may leave its parent, its process group and its session, and drop the mark from its environment. It stays a
descendant of the supervisor all the same, which adopts orphans, and it stays in the control group that it was born in.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from plumbline.measuring.launch.supervisor import marked

# What a program that ends takes along may need a moment; who is there for longer was left.
BY_THEMSELVES_S = 0.3
BY_FORCE_S = 2.0
_LOOK_S = 0.02

# The monitor of each container, the keeper of a user's name space, and who serves files and ports of a container.
OF_ENGINES = frozenset({"conmon", "catatonit", "fuse-overlayfs", "pasta", "rootlessport", "slirp4netns"})

# Behind the command: utime, stime, cutime, cstime (fields 14 to 17 of proc(5)).
_CPU_FIELDS = slice(11, 15)
_TICK_US = 10_000


def end_strays(
    proc: Path,
    find: Callable[[], set[int]],
    reap: Callable[[], object],
    sleep: Callable[[float], None] = time.sleep,
) -> list[dict[str, object]]:
    """Kill what `find` still finds after a moment; each with pid, command, CPU time and whether it is gone.

    CPU time is in microseconds, in steps of 10 ms, with that of its children that ended. `reap` collects the dead.
    """
    end_s = time.monotonic() + BY_THEMSELVES_S
    while (found := find()) and time.monotonic() < end_s:
        sleep(_LOOK_S)
        reap()
    told = {pid: words for pid in sorted(found) if (words := _description(proc, pid)) is not None}

    def left() -> set[int]:
        reap()
        more = find()
        told.update(
            {pid: words for pid in more - told.keys() if (words := _description(proc, pid)) is not None}
        )
        return more

    withstood = marked.end_all(left, BY_FORCE_S) if found else set()
    return [{**words, "ended": pid not in withstood} for pid, words in told.items()]


def strays_of(
    proc: Path,
    *,
    supervisor: int,
    session: str,
    roots: Iterable[int],
    groups: Iterable[Path],
    ours: Iterable[int] = (),
) -> set[int]:
    """Return the processes of the session that descend from none of `roots`.

    Of the session is who descends from the supervisor, has the session's mark, or is in one of the `groups` (files
    cgroup.procs). What a container's engine leaves running for its containers is spared, unless it is in a group: there
    only programs that end are started. `ours` are spared alone.
    """
    parent_of = marked.parents(proc)
    mine = {pid for pid in parent_of if marked.session_of(proc, pid) == session}
    members = {pid for file in groups for pid in _members(file)} & parent_of.keys()
    engines = {pid for pid in parent_of if _command(proc, pid) in OF_ENGINES} - members
    spared = marked.with_descendants({*roots}, parent_of) | engines
    return (
        marked.with_descendants({supervisor, *mine, *members}, parent_of)
        - spared
        - {supervisor, os.getpid(), *ours}
    )


def _members(group: Path) -> set[int]:
    try:
        return {int(word) for word in group.read_text().split()}
    except OSError:
        return set()


def _command(proc: Path, pid: int) -> str:
    try:
        return (proc / str(pid) / "comm").read_text(errors="replace").rstrip("\n")
    except OSError:
        return ""


def _description(proc: Path, pid: int) -> dict[str, object] | None:
    try:
        content = (proc / str(pid) / "stat").read_bytes()
    except OSError:
        return None
    fields = content[content.rindex(b")") + 2 :].split()
    return {
        "pid": pid,
        "command": _command(proc, pid),
        "cpu_us": _TICK_US * sum(map(int, fields[_CPU_FIELDS])),
    }
