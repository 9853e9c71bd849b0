"""Affinity alone: what remains without the right to make control groups."""

from __future__ import annotations

from pathlib import Path

from plumbline.measuring.place.interface import Placement


class Taskset(Placement):
    """Processes are pinned by sched_setaffinity, which their children and threads inherit but may undo."""

    name = "taskset"

    def __init__(self, reason: str) -> None:
        self.reason = reason

    def cannot_limit(self) -> str:
        """Return the reason: affinity alone can't take a share of a CPU."""
        return "Without control groups CPU time can't be limited."

    def cannot_slow(self, folder: Path) -> str:
        """Return the reason: affinity alone does not reach disks."""
        return "Without control groups writes can't be slowed."
