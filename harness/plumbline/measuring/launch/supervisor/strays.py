"""Processes of a session that belong to no program any more: a program left them behind when it ended.

A process may leave its parent, its process group and its session, and drop the mark from its environment. It stays a
descendant of the supervisor all the same, which adopts orphans, and it stays in the control group that it was born in.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from plumbline.measuring.launch.supervisor import marked

# Processes that end along with their program may need a moment; one that stays longer was left behind.
BY_THEMSELVES_S = 0.3
BY_FORCE_S = 2.0
_LOOK_S = 0.02

# The monitor of each container, the keeper of a user's name space, and servers of a container's files and ports.
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
    """Kill the processes that `find` still finds after a moment; return pid, command, CPU time and end of each.

    CPU time is in microseconds, in steps of 10 ms, with that of ended children. `reap` collects the dead.
    """
    end_s = time.monotonic() + BY_THEMSELVES_S
    while (pids := find()) and time.monotonic() < end_s:
        sleep(_LOOK_S)
        reap()
    descriptions = {pid: description for pid in sorted(pids) if (description := _description(proc, pid)) is not None}

    def find_survivors() -> set[int]:
        reap()
        survivors = find()
        descriptions.update(
            {
                pid: description
                for pid in survivors - descriptions.keys()
                if (description := _description(proc, pid)) is not None
            }
        )
        return survivors

    withstanding = marked.end_all(find_survivors, BY_FORCE_S) if pids else set()
    return [{**description, "ended": pid not in withstanding} for pid, description in descriptions.items()]


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

    A process is of the session if it descends from the supervisor, has the session's mark, or is in one of the `groups`
    (files cgroup.procs). The processes that a container's engine leaves running for its containers are spared, unless
    they are in a group: only programs that end are started there. `ours` are spared, but not their descendants.
    """
    parent_of = marked.parents(proc)
    marked_pids = {pid for pid in parent_of if marked.session_of(proc, pid) == session}
    members = {pid for file in groups for pid in _members(file)} & parent_of.keys()
    engines = {pid for pid in parent_of if _command(proc, pid) in OF_ENGINES} - members
    spared = marked.with_descendants({*roots}, parent_of) | engines
    return (
        marked.with_descendants({supervisor, *marked_pids, *members}, parent_of)
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
