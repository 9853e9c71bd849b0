"""Points of series in columns: as objects, hundreds of thousands of them would take seconds to make and to walk."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import NamedTuple, overload

import numpy as np

NOTHING: Mapping[str, str] = MappingProxyType({})

Words = Mapping[str, str]


class Point(NamedTuple):
    """A point of a series: one session. `value` and `control` are above zero, in the metric's unit.

    `environment` holds the components that have to be equal for values to be compared, `labels` what is measured by
    the comparison: framework, JDK, flags. `session` is its name, `t` its time as it was given.
    """

    t: str | float
    session: str
    value: float
    control: float | None = None
    environment: Words = NOTHING
    labels: Words = NOTHING
    commit: str | None = None


def differing(before: Words, after: Words) -> tuple[str, ...]:
    """Return the names of two mappings whose values differ, sorted."""
    return tuple(sorted(name for name in {*before, *after} if before.get(name) != after.get(name)))


class Interned:
    """A table that holds each distinct mapping once; a point or a session holds the index of its mapping."""

    def __init__(self) -> None:
        self.table: list[Words] = []
        self._by_content: dict[tuple[tuple[str, str], ...], int] = {}

    def place(self, words: Words) -> int:
        """Return the index of a mapping, which is appended if it is new."""
        index = self._by_content.setdefault(tuple(sorted(words.items())), len(self.table))
        if index == len(self.table):
            self.table.append(words)
        return index

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Interned) and self.table == other.table


@dataclass
class SessionColumns:
    """The facts that all points of a session share, by session in the order of time; and all environments."""

    t: list[str | float] = field(default_factory=list)
    session: list[str] = field(default_factory=list)
    commit: list[str | None] = field(default_factory=list)
    environments: Interned = field(default_factory=Interned)

    def add(self, t: str | float, session: str, commit: str | None) -> int:
        """Add a session, and return its index."""
        self.t.append(t)
        self.session.append(session)
        self.commit.append(commit)
        return len(self.t) - 1


@dataclass
class PointColumns:
    """The points of a series in columns: `at` is the index of a point's session, `label` that of its labels,
    `environment` that of its environment.

    A point without a control has `control` 0.
    """

    at: array[int] = field(default_factory=lambda: array("i"))
    value: array[float] = field(default_factory=lambda: array("d"))
    control: array[float] = field(default_factory=lambda: array("d"))
    label: array[int] = field(default_factory=lambda: array("i"))
    environment: array[int] = field(default_factory=lambda: array("i"))

    def add(self, at: int, value: float, control: float | None, label: int, environment: int) -> None:
        """Add a point."""
        self.at.append(at)
        self.value.append(value)
        self.control.append(control or 0.0)
        self.label.append(label)
        self.environment.append(environment)


@dataclass(frozen=True)
class Points(Sequence[Point]):
    """The points of one series. `labels` is shared by all series of an analysis, and so is `nights`."""

    nights: SessionColumns
    columns: PointColumns
    labels: Interned

    @staticmethod
    def of(points: Iterable[Point]) -> Points:
        """Return the columns of points that come in the order of time."""
        nights, columns, labels = SessionColumns(), PointColumns(), Interned()
        for point in points:
            session_index = nights.add(point.t, point.session, point.commit)
            environment = nights.environments.place(point.environment)
            columns.add(session_index, point.value, point.control, labels.place(point.labels), environment)
        return Points(nights, columns, labels)

    def __len__(self) -> int:
        return len(self.columns.at)

    @overload
    def __getitem__(self, index: int) -> Point: ...
    @overload
    def __getitem__(self, index: slice) -> Points: ...
    def __getitem__(self, index: int | slice) -> Point | Points:
        columns, nights = self.columns, self.nights
        if isinstance(index, slice):
            part = PointColumns(
                columns.at[index],
                columns.value[index],
                columns.control[index],
                columns.label[index],
                columns.environment[index],
            )
            return Points(nights, part, self.labels)
        session_index = columns.at[index]
        return Point(
            t=nights.t[session_index],
            session=nights.session[session_index],
            value=columns.value[index],
            control=columns.control[index] or None,
            environment=nights.environments.table[columns.environment[index]],
            labels=self.labels.table[columns.label[index]],
            commit=nights.commit[session_index],
        )

    def turns(self) -> list[int]:
        """Return the indices of points whose labels differ from those of the point before."""
        return (np.flatnonzero(np.diff(np.asarray(self.columns.label))) + 1).tolist()

    def environment_turns(self) -> list[int]:
        """Return the indices of points whose environment differs from that of the point before."""
        return (np.flatnonzero(np.diff(np.asarray(self.columns.environment))) + 1).tolist()

    def find(self, session: str, t: str | float) -> int:
        """Return the index of a session's point; where it has none, that of the first point at `t` or later."""
        names, times, at = self.nights.session, self.nights.t, self.columns.at
        own = next((index for index, place in enumerate(at) if names[place] == session), None)
        if own is not None:
            return own
        return next((index for index, place in enumerate(at) if str(times[place]) >= str(t)), len(at))
