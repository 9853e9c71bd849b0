"""The disk that a folder lies on, as control groups name it."""

from __future__ import annotations

import os
from pathlib import Path

NO_DISK = (
    "The files below {folder} lie on no disk of their own (a tmpfs, an overlay), so writes can't be slowed."
)


def disk_of(folder: Path, sys: Path = Path("/sys")) -> str | None:
    """Return `major:minor` of the whole disk below a folder, also where it lies on a partition; None without a disk."""
    device = os.stat(folder).st_dev
    place = sys / "dev" / "block" / f"{os.major(device)}:{os.minor(device)}"
    if not place.exists():
        return None
    whole = place.resolve().parent if (place / "partition").exists() else place.resolve()
    try:
        return (whole / "dev").read_text().strip()
    except OSError:
        return None
