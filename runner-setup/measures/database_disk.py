"""The condition that the database writes to a file system that keeps its promises."""

from __future__ import annotations

from .changes import by_hand
from .face import NeededFor, Reading, Roots, fit, unfit, unknown
from .files import read

ID = "database-disk"
TITLE = "File system of the database"
WHY = "In memory a commit costs nothing, and over a network or in layers it costs what others do at the moment."
NEEDED_FOR: NeededFor = "extra"
SOURCE = "https://www.postgresql.org/docs/18/wal-reliability.html"

changes = by_hand

GOOD = ("ext4", "xfs")


def check(roots: Roots) -> Reading:
    """Read the mount that holds the scratch folder. Only reported: `bench-host quiet` measures what a write costs."""
    kind_of_mount: dict[str, str] = {}
    for line in (read(roots.proc / "self/mountinfo") or "").splitlines():
        mount, _, file_system = line.partition(" - ")
        if len(mount.split()) > 4 and file_system:
            kind_of_mount[mount.split()[4]] = file_system.split()[0]
    places = [place for place in kind_of_mount if roots.scratch.is_relative_to(place)]
    if not places:
        return unknown("the mount of the scratch folder is not shown (/proc/self/mountinfo)")
    kind = kind_of_mount[max(places, key=len)]
    if kind in GOOD:
        return fit(kind)
    return unfit(f"{kind} below {roots.scratch}: {' or '.join(GOOD)} is what databases run on", None)
