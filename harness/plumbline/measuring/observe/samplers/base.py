"""The interface of a sampler, sums over processes that come and go, and files of the roles' cgroups."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar

from plumbline.measuring.place.interface import Account, PlacedRole
from ..open_file import OpenFile, find_account
from ..processes import Processes
from ..targets import Roots, Targets

Row = Mapping[str, float | None]


@dataclass(frozen=True)
class Tick:
    """The data that all samplers of one tick share: the targets, and the files of the processes."""

    targets: Targets
    processes: Processes


Group = tuple[Path, ...]
"""A cgroup, by all of its folders."""


def group_of(folders: Mapping[Account, Path]) -> Group:
    """Return the cgroup that has these folders."""
    return tuple(folders.values())


class Sampler(Protocol):
    """Reads one source each second."""

    def sample(self, tick: Tick) -> Row:
        """Return columns and their values now; None (or no key) for what can't be read. Never raises for that."""

    def close(self) -> None:
        """Close files and connections."""


MakeSampler = Callable[[Roots], Sampler]


class Closable(Protocol):
    """One or several files that stay open from tick to tick."""

    def close(self) -> None:
        """Close the files."""


FileT = TypeVar("FileT", bound=Closable)


class HoldsFiles:
    """The part of a sampler that opens files: the files that it holds are closed with the sampler."""

    def __init__(self, roots: Roots) -> None:
        self._open_files: list[Closable] = []

    def hold(self, file: FileT) -> FileT:
        """Hold a file open until the sampler is closed."""
        self._open_files.append(file)
        return file

    def close(self) -> None:
        """Close the files."""
        for file in self._open_files:
            file.close()


class RunningTotal:
    """A counter of a role: the sum over its former and present roots or cgroups.

    A root's reading never counts less than before: between a child's end and its parent's wait the child's
    share is in neither process. The last reading of a root that leaves the role stays in the sum.
    """

    def __init__(self) -> None:
        self._finished = 0
        self._last: dict[Hashable, int] = {}

    def add(self, readings: Mapping[int, int] | Mapping[Group, int]) -> int:
        """Take the counter of each present root or cgroup now, and return the role's sum."""
        for gone in self._last.keys() - readings.keys():
            self._finished += self._last.pop(gone)
        for root, reading in readings.items():
            self._last[root] = max(reading, self._last.get(root, 0))
        return self._finished + sum(self._last.values())


class RoleFiles:
    """A file of each cgroup of a role, under the first of several names that exists, opened once it exists.

    `of` returns the cgroups that count: those of the role's processes, or all whose quotas hold for them.
    """

    def __init__(
        self,
        *names: str,
        of: Callable[[Targets, PlacedRole], Iterable[Mapping[Account, Path]]] = Targets.cgroups_of,
    ) -> None:
        self._names, self._of = names, of
        self._files: dict[PlacedRole, dict[Group, OpenFile | None]] = {}

    def read(self, role: PlacedRole, tick: Tick) -> dict[Group, bytes] | None:
        """Return the file's bytes by cgroup, empty when the role's cgroups are gone; None when the role never had one,
        or when a cgroup has no such file.
        """
        groups = {group_of(folders): folders for folders in self._of(tick.targets, role)}
        if role not in self._files and not groups:
            return None
        files = self._files.setdefault(role, {})
        for gone in files.keys() - groups.keys():
            _close(files.pop(gone))
        for group in groups.keys() - files.keys():
            files[group] = find_account(groups[group], *self._names)
        readings = {group: None if file is None else file.read() for group, file in files.items()}
        contents = {group: content for group, content in readings.items() if content is not None}
        return contents if len(contents) == len(readings) else None

    def close(self) -> None:
        """Close the files."""
        for files in self._files.values():
            for file in files.values():
                _close(file)


class RoleCounter:
    """A counter in a file of the cgroups of each role, summed over its former and present cgroups."""

    def __init__(self) -> None:
        self._totals: dict[PlacedRole, RunningTotal] = {}

    def add(
        self, role: PlacedRole, contents: Mapping[Group, bytes] | None, count: Callable[[bytes], int | None]
    ) -> int | None:
        """Take the number that `count` finds in each file, and return the role's sum; None where a file lacks it."""
        if contents is None:
            return None
        counts = {group: count(content) for group, content in contents.items()}
        known = {group: number for group, number in counts.items() if number is not None}
        if len(known) < len(counts):
            return None
        return self._totals.setdefault(role, RunningTotal()).add(known)


def _close(file: OpenFile | None) -> None:
    if file is not None:
        file.close()
