"""The database writes to a file system that keeps its promises."""

from __future__ import annotations

from .changes import by_hand
from .face import NeededFor, Reading, Roots, fit, unfit, unknown
from .files import read

ID = "database-disk"
TITLE = "File system of the database"
WHY = (
    "In memory a commit costs nothing, and over a network or in layers it costs what others do at the moment."
)
NEEDED_FOR: NeededFor = "extra"
SOURCE = "https://www.postgresql.org/docs/18/wal-reliability.html"

changes = by_hand

GOOD = ("ext4", "xfs")


def check(roots: Roots) -> Reading:
    """From the mount that holds the scratch folder. Only told: `bench-host quiet` measures what a write costs."""
    found: dict[str, str] = {}
    for line in (read(roots.proc / "self/mountinfo") or "").splitlines():
        mount, _, rest = line.partition(" - ")
        if len(mount.split()) > 4 and rest:
            found[mount.split()[4]] = rest.split()[0]
    places = [place for place in found if roots.scratch.is_relative_to(place)]
    if not places:
        return unknown("the mount of the scratch folder is not shown (/proc/self/mountinfo)")
    kind = found[max(places, key=len)]
    if kind in GOOD:
        return fit(kind)
    return unfit(f"{kind} below {roots.scratch}: {' or '.join(GOOD)} is what databases run on", None)
