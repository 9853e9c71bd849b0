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
        """Return the own group and those above it, nearest first, up to the mount."""
        above = [folder for folder in self.own.parents if folder.is_relative_to(self.mount)]
        return (self.own, *above)


def read_hierarchies(proc: Path, process: str = "self") -> tuple[Hierarchy, ...]:
    """Return all hierarchies that are mounted, from /proc/self/mountinfo and the `cgroup` of a process, else of this
    one.
    """
    places = _places(proc / process)
    found: list[Hierarchy] = []
    for line in read_kernel(proc / "self/mountinfo").splitlines():
        before, _, after = line.partition(" - ")
        fields, (kind, _, options) = before.split(), after.split(" ", 2)
        if kind not in ("cgroup", "cgroup2"):
            continue
        root, mount = fields[3], Path(_unescape(fields[4]))
        for controllers, place in places:
            if controllers <= frozenset(options.split(",")) and bool(controllers) == (kind == "cgroup"):
                inside = os.path.relpath(place, root)
                # A place outside of what is mounted is another namespace's; only the mount itself is then
                # known.
                own = mount if inside.startswith("..") else Path(os.path.normpath(mount / inside))
                found.append(Hierarchy(2 if kind == "cgroup2" else 1, controllers, mount, own))
                break
    return tuple(found)


def _places(process: Path) -> list[tuple[frozenset[str], str]]:
    places: list[tuple[frozenset[str], str]] = []
    for line in read_kernel(process / "cgroup").splitlines():
        _, controllers, place = line.split(":", 2)
        places.append((frozenset(filter(None, controllers.split(","))), place))
    return places


def _unescape(path: str) -> str:
    return path.replace("\\040", " ").replace("\\011", "\t").replace("\\012", "\n").replace("\\134", "\\")
