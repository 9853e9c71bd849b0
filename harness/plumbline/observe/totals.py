"""Sums over processes that come and go, kept from falling when one of them ends."""

from __future__ import annotations

from collections.abc import Mapping


class RunningTotal:
    """A counter of a role: the sum over its roots, those that were and those that are.

    A root's reading never counts less than before: between a child's end and its parent's wait the child's
    share is in neither of them. Of a root that is taken from the role the last reading stays in the sum.
    """

    def __init__(self) -> None:
        self._finished = 0
        self._last: dict[int, int] = {}

    def add(self, readings: Mapping[int, int]) -> int:
        """Take root pid -> its counter now, for all present roots; returns the role's sum."""
        for gone in self._last.keys() - readings.keys():
            self._finished += self._last.pop(gone)
        for root, reading in readings.items():
            self._last[root] = max(reading, self._last.get(root, 0))
        return self._finished + sum(self._last.values())
