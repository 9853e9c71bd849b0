"""The processes of each role and their files, read at most once a tick however many samplers ask."""

from __future__ import annotations

import os
from collections.abc import Sequence

from plumbline.measuring.place.interface import PlacedRole
from .open_file import OpenFile, read_once
from .targets import ROLES_WITH_DESCENDANTS, Roots, Targets


class Processes:
    """The processes of each role, found by their parents, with their files in /proc."""

    def __init__(self, roots: Roots) -> None:
        self._proc = str(roots.proc)
        self._names: list[str] = []
        self._parents: dict[int, int] = {}
        self._children: dict[int, list[int]] = {}
        self._files: dict[tuple[int, str], OpenFile] = {}
        self._contents: dict[tuple[int, str], bytes | None] = {}
        self._targets: Targets | None = None

    def begin(self, targets: Targets) -> None:
        """Forget the readings of the last tick, and list the processes that are there now."""
        self._targets = targets
        self._contents.clear()
        self._find_processes()

    def tree(self, root: int) -> tuple[int, ...]:
        """Return a process and then its descendants; a root that is gone has none left."""
        pids = [root]
        for pid in pids:
            pids.extend(self._children.get(pid, ()))
        return tuple(pids)

    def roots(self, role: PlacedRole) -> dict[int, tuple[int, ...]]:
        """Return root pid of a role -> all pids that count for it."""
        assert self._targets is not None
        with_descendants = role in ROLES_WITH_DESCENDANTS
        return {root: self.tree(root) if with_descendants else (root,) for root in self._targets.roots_of(role)}

    def read(self, pid: int, name: str) -> bytes | None:
        """Return the file /proc/PID/name of this tick, or None when the process is gone."""
        key = (pid, name)
        if key not in self._contents:
            file = self._files.get(key)
            if file is None:
                file = self._files[key] = OpenFile(f"{self._proc}/{pid}/{name}")
            self._contents[key] = file.read()
        return self._contents[key]

    def stat(self, pid: int) -> list[bytes] | None:
        """Return the fields of /proc/PID/stat from `state` (index 0, field 3 of proc(5)) on."""
        content = self.read(pid, "stat")
        return None if content is None else after_command(content)

    def close(self) -> None:
        """Close all files."""
        for file in self._files.values():
            file.close()
        self._files.clear()

    def _find_processes(self) -> None:
        try:
            names = os.listdir(self._proc)
        except OSError:
            names = []
        if names == self._names:
            return
        self._names = names
        present = {int(name) for name in names if name.isdigit()}
        self._parents = {pid: parent for pid, parent in self._parents.items() if pid in present}
        for pid in present - self._parents.keys():
            parent = self._parent(pid)
            if parent is not None:
                self._parents[pid] = parent
        self._children = {}
        for pid, parent in sorted(self._parents.items()):
            self._children.setdefault(parent, []).append(pid)
        for key in [key for key in self._files if key[0] not in present]:
            self._files.pop(key).close()

    def _parent(self, pid: int) -> int | None:
        content = read_once(f"{self._proc}/{pid}/stat")
        return None if content is None else int(after_command(content)[1])


def after_command(stat: bytes) -> list[bytes]:
    """Return the fields of a stat file behind the command, which may itself hold blanks and brackets."""
    return stat[stat.rindex(b")") + 2 :].split()


# Behind the command: nice, rt_priority and policy (fields 19, 40 and 41 of proc(5)).
_NICE, _RT_PRIORITY, _POLICY = 16, 37, 38


def scheduling_of(fields: Sequence[bytes]) -> tuple[bytes, bytes, bytes] | None:
    """Return nice value, real-time priority and policy out of the fields behind a command; None where some are
    missing.
    """
    return (fields[_NICE], fields[_RT_PRIORITY], fields[_POLICY]) if len(fields) > _POLICY else None
