"""Writes of the disk that holds the database, from /proc/diskstats."""

from __future__ import annotations

import os
from pathlib import Path

from ..open_file import OpenFile
from ..roots import Roots
from .base import HoldsFiles, Row, Tick

# The kernel counts in sectors of 512 bytes whatever the disk's own size is.
_SECTOR_BYTES = 512

# Documentation/admin-guide/iostats: behind major, minor and name.
_WRITES, _SECTORS_WRITTEN, _BUSY_MS = 4, 6, 9


class DiskSampler(HoldsFiles):
    """Samples the writes to a disk: `disk.written_bytes`, `disk.writes`, `disk.busy_ms`.

    Of the device that holds the data folder; where that has no block device (tmpfs, overlay, btrfs) or no
    folder is named, the sum over whole disks that are hardware (or the hypervisor's).
    """

    def __init__(self, roots: Roots) -> None:
        super().__init__(roots)
        self._block = roots.sys / "block"
        self._diskstats = self.hold(OpenFile(roots.proc / "diskstats"))
        self._folder: Path | None = None
        self._device: bytes | None = None
        self._disks: frozenset[bytes] | None = None

    def sample(self, tick: Tick) -> Row:
        """Return bytes, requests and milliseconds since boot."""
        content = self._diskstats.read()
        if content is None:
            return {}
        if self._disks is None or tick.targets.data_folder != self._folder:
            self._folder = tick.targets.data_folder
            self._device = None if self._folder is None else _device(self._folder)
            self._disks = self._whole_disks()
        rows = [line.split() for line in content.splitlines()]
        chosen = [row for row in rows if b"%b:%b" % (row[0], row[1]) == self._device]
        chosen = chosen or [row for row in rows if row[2] in self._disks]
        if not chosen:
            return {}
        written, writes, busy = (
            sum(int(row[3 + field]) for row in chosen) for field in (_SECTORS_WRITTEN, _WRITES, _BUSY_MS)
        )
        return {"disk.written_bytes": written * _SECTOR_BYTES, "disk.writes": writes, "disk.busy_ms": busy}

    def _whole_disks(self) -> frozenset[bytes]:
        try:
            return frozenset(
                disk.name.encode() for disk in self._block.iterdir() if (disk / "device").exists()
            )
        except OSError:
            return frozenset()


def _device(folder: Path) -> bytes | None:
    try:
        number = os.stat(folder).st_dev
    except OSError:
        return None
    return f"{os.major(number)}:{os.minor(number)}".encode()
