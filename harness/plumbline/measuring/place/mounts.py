"""Find where the hierarchies of control groups are mounted, and the group of this process in each."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from plumbline.machine.host.kernel import read_kernel
from .interface import Account, PlacedRole


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


# A group has this file, of version 2 or 1, where it may have a CPU quota.
_QUOTA_FILES = ("cpu.max", "cpu.cfs_quota_us")


def quotas_around(
    proc: Path, cgroups: Mapping[PlacedRole, Iterable[Mapping[Account, Path]]]
) -> tuple[Mapping[Account, Path], ...]:
    """Return the groups above the roles' own whose CPU quotas hold for them too, as far as they can be seen.

    Processes without a group that counts a quota's stops are in the group of this process: its quota holds as well.
    """
    own = [folder for groups in cgroups.values() for group in groups for folder in group.values()]
    around = [folder for group in own for folder in group.parents]
    if not any((folder / "cpu.stat").exists() for group in cgroups.get("load", ()) for folder in group.values()):
        around += [folder for hierarchy in read_hierarchies(proc) for folder in hierarchy.parents()]
    may_stop = (folder for folder in dict.fromkeys(around) if any((folder / file).exists() for file in _QUOTA_FILES))
    return tuple({"quota": folder} for folder in may_stop)


def _group_paths(process: Path) -> list[tuple[frozenset[str], str]]:
    group_paths: list[tuple[frozenset[str], str]] = []
    for line in read_kernel(process / "cgroup").splitlines():
        _, controllers, group_path = line.split(":", 2)
        group_paths.append((frozenset(filter(None, controllers.split(","))), group_path))
    return group_paths


def _unescape(path: str) -> str:
    return path.replace("\\040", " ").replace("\\011", "\t").replace("\\012", "\n").replace("\\134", "\\")
