"""The condition that the database waits only a short time at each commit."""

from __future__ import annotations

from pathlib import Path

from .changes import by_hand
from .face import NeededFor, Reading, Roots, fit, unfit, unknown
from .files import read

ID = "database-writes"
TITLE = "Durable writes of the database"
WHY = "Every commit waits until the disk holds it for good; where that is slow, requests that write measure it."
NEEDED_FOR: NeededFor = "extra"
SOURCE = "https://docs.kernel.org/admin-guide/iostats.html"

changes = by_hand

# A disk with power-loss protection answers a flush in a tenth of a millisecond, one without in one to ten.
QUICK_MS = 1.0
# Two columns of `stat`: the number of flushes, and the milliseconds that they took.
_FLUSHES, _FLUSH_MS = 15, 16


def check(roots: Roots) -> Reading:
    """Read how the disk below the scratch folder caches, and how long its flushes took since it was switched on.

    Only reported: `bench-host quiet` measures the same on the file system, and the slowest writes too.
    """
    disk = _disk(roots)
    caching = read(disk / "queue/write_cache") if disk else None
    words = (read(disk / "stat") or "").split() if disk else []
    if disk is None or caching is None or len(words) <= _FLUSH_MS:
        return unknown("the disk of the scratch folder is not shown (/sys/dev/block)")
    if caching == "write through":
        return fit("the disk keeps what it was given, and needs no flush")
    flushes, took_ms = int(words[_FLUSHES]), int(words[_FLUSH_MS])
    if not flushes:
        return unknown("nothing was flushed to the disk yet")
    reading = f"a flush took {took_ms / flushes:.2f} ms, the mean of {flushes}"
    if took_ms / flushes <= QUICK_MS:
        return fit(reading)
    return unfit(f"{reading}; {QUICK_MS:.0f} ms is what a disk with power-loss protection stays below", None)


def _disk(roots: Roots) -> Path | None:
    """Return the folder of the whole disk: a partition counts no flushes, and lies in the folder of its disk."""
    device_of_mount: dict[str, str] = {}
    for line in (read(roots.proc / "self/mountinfo") or "").splitlines():
        words = line.split()
        if len(words) > 4:
            device_of_mount[words[4]] = words[2]
    places = [place for place in device_of_mount if roots.scratch.is_relative_to(place)]
    if not places:
        return None
    folder = (roots.sys / "dev/block" / device_of_mount[max(places, key=len)]).resolve()
    return folder.parent if (folder / "partition").exists() else folder
