"""The condition that the scratch folder has room."""

from __future__ import annotations

import shutil

from .changes import by_hand
from .face import NeededFor, Reading, Roots, fit, unfit, unknown

ID = "disk-space"
TITLE = "Disk space for scratch"
WHY = "A disk that fills up in the middle of a session stops the database, and with it all that was still to come."
NEEDED_FOR: NeededFor = "any"
SOURCE = "https://www.postgresql.org/docs/18/wal-configuration.html"

changes = by_hand

# PostgreSQL keeps up to 1 GB of its log (max_wal_size) beside the data; programs, AOT caches and logs fit the rest.
ENOUGH_BYTES = 3 * 10**9
COMMAND = "./bench clean --what scratch"


def check(roots: Roots) -> Reading:
    """Read the file system of the scratch folder, or of the folder that it will be made in.

    A session makes the folder that PLUMBLINE_SCRATCH names, and its own folder below that.
    """
    for folder in (roots.scratch, *roots.scratch.parents[:2]):
        try:
            free = shutil.disk_usage(folder).free
        except OSError:
            continue
        reading = f"{free / 1e9:.1f} GB free in {folder}"
        if free >= ENOUGH_BYTES:
            return fit(reading)
        return unfit(f"{reading}, {ENOUGH_BYTES / 1e9:.0f} are needed", COMMAND)
    return unknown(f"there is neither {roots.scratch} nor a folder to make it in")
