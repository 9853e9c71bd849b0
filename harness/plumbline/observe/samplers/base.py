"""The interface of a sampler, and sums over processes that come and go."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from ..processes import Processes
from ..roots import Roots
from ..targets import Targets

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
