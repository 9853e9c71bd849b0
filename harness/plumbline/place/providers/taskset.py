"""Affinity alone: what remains without the right to make control groups."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from plumbline.model.host import CpuSets
from plumbline.place.interface import Account, ChildSetup, PlacedRole, cpus_of


class Taskset:
    """Processes are pinned by sched_setaffinity, which their children and threads inherit but may undo."""

    name: Literal["taskset"] = "taskset"

    def __init__(self, reason: str) -> None:
        self.reason = reason
        self._sets: CpuSets | None = None

    def prepare(self, session: str, sets: CpuSets) -> None:
        """Keep the sets; there is nothing to make."""
        self._sets = sets

    def entry(self, role: PlacedRole) -> ChildSetup:
        """Return the CPUs of the role, and no file."""
        assert self._sets is not None, "prepare() comes first"
        return ChildSetup(files=(), cpus=cpus_of(self._sets, role))

    def accounting(self, role: PlacedRole) -> dict[Account, Path]:
        """Return no folder: affinity alone counts nothing for a role."""
        return {}

    def cannot_limit(self) -> str | None:
        """Return the reason why a role can't be limited: affinity alone can't take a share of a CPU."""
        return "Without control groups CPU time can't be limited."

    def limit(self, role: PlacedRole, cpus: float | None) -> None:
        """Raise NotImplementedError: callers have to ask `cannot_limit` first."""
        raise NotImplementedError(self.cannot_limit())

    def cannot_slow(self, folder: Path) -> str | None:
        """Return the reason why a role's writes can't be slowed: affinity alone does not reach disks."""
        return "Without control groups writes can't be slowed."

    def slow(self, role: PlacedRole, folder: Path, writes_per_s: int | None) -> None:
        """Raise NotImplementedError: callers have to ask `cannot_slow` first."""
        raise NotImplementedError(self.cannot_slow(folder))

    def groups(self) -> tuple[Path, ...]:
        """Return no folder: affinity makes none."""
        return ()

    def close(self) -> None:
        """Do nothing: affinity leaves nothing to remove."""

    def sweep(self, alive: frozenset[str]) -> tuple[Path, ...]:
        """Do nothing: affinity leaves nothing to remove."""
        return ()
