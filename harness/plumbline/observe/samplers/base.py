"""The interface of a sampler, sums over processes that come and go, and files of the roles' cgroups."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol, TypeVar

from plumbline.place.interface import PlacedRole
from ..open_file import OpenFile, find_account
from ..processes import Processes
from ..targets import Roots, Targets

Row = Mapping[str, float | None]


@dataclass(frozen=True)
class Tick:
    """The data that all samplers of one tick share: the targets, and the files of the processes."""

    targets: Targets
    processes: Processes


class Sampler(Protocol):
    """Reads one source each second."""

    def sample(self, tick: Tick) -> Row:
        """Return columns and their values now; None (or no key) for what can't be read. Never raises for that."""

    def close(self) -> None:
        """Close files and connections."""


MakeSampler = Callable[[Roots], Sampler]


class Closed(Protocol):
    """A file that stays open from tick to tick, or several."""

    def close(self) -> None:
        """Close it."""


Held = TypeVar("Held", bound=Closed)


class HoldsFiles:
    """The part of a sampler that opens files: those that it holds are closed with it."""

    def __init__(self, roots: Roots) -> None:
        self._held: list[Closed] = []

    def hold(self, file: Held) -> Held:
        """Hold a file open until the sampler is closed."""
        self._held.append(file)
        return file

    def close(self) -> None:
        """Close the files."""
        for file in self._held:
            file.close()


class RunningTotal:
    """A counter of a role: the sum over its roots, those that were and those that are.

    A root's reading never counts less than before: between a child's end and its parent's wait the child's
    share is in neither of them. Of a root that is taken from the role the last reading stays in the sum.
    """

    def __init__(self) -> None:
        self._finished = 0
        self._last: dict[int, int] = {}

    def add(self, readings: Mapping[int, int]) -> int:
        """Take the counter of each present root now, by pid, and return the role's sum."""
        for gone in self._last.keys() - readings.keys():
            self._finished += self._last.pop(gone)
        for root, reading in readings.items():
            self._last[root] = max(reading, self._last.get(root, 0))
        return self._finished + sum(self._last.values())


class RoleFiles:
    """A cgroup file for each role, under the first of several names that exists, opened once the role has a cgroup."""

    def __init__(self, *names: str) -> None:
        self._names = names
        self._files: dict[PlacedRole, OpenFile | None] = {}

    def read(self, role: PlacedRole, tick: Tick) -> bytes | None:
        """Return the file's bytes, or None where the host has no such file."""
        if role not in self._files and (folders := tick.targets.cgroups_of(role)):
            self._files[role] = find_account(folders, *self._names)
        file = self._files.get(role)
        return None if file is None else file.read()

    def close(self) -> None:
        """Close the files."""
        for file in self._files.values():
            if file is not None:
                file.close()
