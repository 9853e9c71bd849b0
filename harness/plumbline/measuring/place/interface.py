"""The part that all providers of placement share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from pathlib import Path
from typing import Literal

from plumbline.model.base import Frozen
from plumbline.model.host import CpuSets

PlacedRole = Literal["app", "db", "load", "harness"]
PLACED_ROLES: tuple[PlacedRole, ...] = ("app", "db", "load", "harness")

Account = Literal["cpu", "memory", "io", "pressure", "quota"]

# The kernel's own period of 100 ms stops a role that has used up its share for tens of milliseconds; a short period
# makes the role slower instead of stopping it.
QUOTA_PERIOD_US = 20_000


class ChildSetup(Frozen):
    """The steps that a spawner does for a new process before the process runs anything else.

    The process writes its own pid to each of `files` (cgroup.procs), then limits its affinity to `cpus`.
    """

    files: tuple[Path, ...]
    cpus: tuple[int, ...]


class Placement(ABC):
    """A way to hold processes on their CPUs. `name` stands in the record, `reason` says why it was chosen here.

    This class uses affinity alone; a provider overrides the methods for which it can do more.
    """

    name: str
    reason: str
    _sets: CpuSets | None = None

    def prepare(self, session: str, sets: CpuSets) -> None:
        """Make the groups of a session. Raises CannotGoOn when the kernel refuses."""
        self._sets = sets

    def entry(self, role: PlacedRole) -> ChildSetup:
        """Return the steps that place a process of that role; only after `prepare`."""
        assert self._sets is not None, "prepare() comes first"
        return ChildSetup(files=self._pid_files(role), cpus=cpus_of(self._sets, role))

    def _pid_files(self, role: PlacedRole) -> tuple[Path, ...]:
        """Return the files to which a process of that role writes its own pid."""
        return ()

    def memory_nodes(self, cpus: tuple[int, ...]) -> tuple[int, ...]:
        """Return the nodes whose memory alone a process on these CPUs gets; none where it may have all memory."""
        return ()

    def accounting(self, role: PlacedRole) -> dict[Account, Path]:
        """Return the folders of the cgroup files that count for that role, by account; empty without such files."""
        return {}

    @abstractmethod
    def cannot_limit(self) -> str | None:
        """Return why a role can't be given less CPU time than its CPUs have, in a sentence; None where it can."""

    def limit(self, role: PlacedRole, cpus: float | None) -> None:
        """Limit all processes that start from now on in that role to the time of so many CPUs; None takes the limit
        away.

        Only after `prepare`, and where `cannot_limit` has no objection.
        """
        raise NotImplementedError(self.cannot_limit())

    @abstractmethod
    def cannot_slow(self, folder: Path) -> str | None:
        """Return why writes to the disk of a folder can't be slowed for one role, in a sentence; None where
        they can.
        """

    def slow(self, role: PlacedRole, folder: Path, writes_per_s: int | None) -> None:
        """Limit the role to so many writes a second to the disk of a folder; None takes the limit away.

        Only after `prepare`, and where `cannot_slow` has no objection.
        """
        raise NotImplementedError(self.cannot_slow(folder))

    def groups(self) -> tuple[Path, ...]:
        """Return the folders that `prepare` made, for whoever has to remove them when this process can't."""
        return ()

    def close(self) -> None:
        """Remove the groups; those that still hold a process stay. May be called twice."""
        return

    def sweep(self, alive: frozenset[str]) -> tuple[Path, ...]:
        """Remove the empty groups of all sessions that are not `alive`, and return them."""
        return ()


def cpus_of(sets: CpuSets, role: PlacedRole) -> tuple[int, ...]:
    """Return the CPUs of a role; the harness runs on the housekeeping CPUs."""
    return sets.of("housekeeping" if role == "harness" else role)
