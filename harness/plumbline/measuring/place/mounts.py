"""Find where the hierarchies of control groups are mounted, and the group of this process in each."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from plumbline.machine.host.kernel import read_kernel


@dataclass(frozen=True)
class Hierarchy:
    """A mounted hierarchy. `own` is the folder of the group that the process is in, at or below `mount`.

    `controllers` is empty for version 2, whose controllers differ from group to group.
    """

    version: int
    controllers: frozenset[str]
    mount: Path
    own: Path

    def parents(self) -> tuple[Path, ...]:
        """Return the own group and the groups above it, nearest first, up to the mount."""
        above = [folder for folder in self.own.parents if folder.is_relative_to(self.mount)]
        return (self.own, *above)


def read_hierarchies(proc: Path, process: str = "self") -> tuple[Hierarchy, ...]:
    """Return all mounted hierarchies, with the group that a process is in; `process` is a pid, this process by default.

    The sources are /proc/self/mountinfo and the `cgroup` file of the process.
    """
    group_paths = _group_paths(proc / process)
    hierarchies: list[Hierarchy] = []
    for line in read_kernel(proc / "self/mountinfo").splitlines():
        before, _, after = line.partition(" - ")
        fields, (kind, _, options) = before.split(), after.split(" ", 2)
        if kind not in ("cgroup", "cgroup2"):
            continue
        root, mount = fields[3], Path(_unescape(fields[4]))
        for controllers, group_path in group_paths:
            if controllers <= frozenset(options.split(",")) and bool(controllers) == (kind == "cgroup"):
                relative_path = os.path.relpath(group_path, root)
                # A group outside of what is mounted belongs to another namespace; then only the mount itself is
                # known.
                own = mount if relative_path.startswith("..") else Path(os.path.normpath(mount / relative_path))
                hierarchies.append(Hierarchy(2 if kind == "cgroup2" else 1, controllers, mount, own))
                break
    return tuple(hierarchies)


def _group_paths(process: Path) -> list[tuple[frozenset[str], str]]:
    group_paths: list[tuple[frozenset[str], str]] = []
    for line in read_kernel(process / "cgroup").splitlines():
        _, controllers, group_path = line.split(":", 2)
        group_paths.append((frozenset(filter(None, controllers.split(","))), group_path))
    return group_paths


def _unescape(path: str) -> str:
    return path.replace("\\040", " ").replace("\\011", "\t").replace("\\012", "\n").replace("\\134", "\\")
