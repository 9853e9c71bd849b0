"""A series: one metric of one subject over many sessions, and its changes within each environment."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

from plumbline.figures.metrics import Better
from plumbline.stats.changes import Change
from .memory import Memory

NOTHING: Mapping[str, str] = MappingProxyType({})


class Point(NamedTuple):
    """One session. `value` and `control` are above zero, in the metric's unit.

    `environment` holds the components that have to be equal for values to be compared, `labels` what is measured by
    the comparison: framework, JDK, flags. `session` is its name, `t` its time as it was given.
    """

    t: str | float
    session: str
    value: float
    control: float | None = None
    environment: Mapping[str, str] = NOTHING
    labels: Mapping[str, str] = NOTHING
    commit: str | None = None


@dataclass(frozen=True)
class Series:
    """`better` is None where neither way is worse; `control` series are those of the control itself.

    `points` are in the order of time. Subject to host are empty for a series that was given as a file.
    """

    id: str
    better: Better | None
    points: tuple[Point, ...]
    control: bool = False
    subject: str = ""
    scenario: str = ""
    phase: str = ""
    metric: str = ""
    host: str = ""


@dataclass(frozen=True)
class Segment:
    """The points of one environment, by their index in the series, which need not be neighbours.

    An environment that comes back goes on with its segment. `against_control` says that `logs` are of the ratio to
    the control; points without a control are then left out.
    """

    environment: Mapping[str, str]
    indices: tuple[int, ...]
    logs: tuple[float, ...]
    against_control: bool


@dataclass(frozen=True)
class Found:
    """A change of a series, at the point `index`, with the last point before it in the same environment.

    `back` is the index of the first later change that brought the level back; None if there is none.
    """

    series: Series
    index: int
    before_index: int
    change: Change
    against_control: bool
    back: int | None

    @property
    def worse(self) -> bool | None:
        """Whether the change is for the worse; None where neither way is."""
        if self.series.better is None:
            return None
        return (self.change.difference < 0) == (self.series.better == "higher")


# A level counts as back when what is left of the change is smaller than any change that is reported.
BACK_WITHIN = math.log(1.01)


def segments(series: Series) -> tuple[Segment, ...]:
    """The environments of a series, in the order of their first points."""
    by_environment: dict[tuple[tuple[str, str], ...], list[int]] = {}
    # Points share the mapping of their session, and sessions that of their environment: each is sorted once.
    known: dict[int, list[int]] = {}
    for index, point in enumerate(series.points):
        indices = known.get(id(point.environment))
        if indices is None:
            key = tuple(sorted(point.environment.items()))
            indices = known[id(point.environment)] = by_environment.setdefault(key, [])
        indices.append(index)
    found = []
    for environment, indices in by_environment.items():
        points = [series.points[index] for index in indices]
        against = not series.control and any(point.control is not None for point in points)
        if against:
            indices = [index for index in indices if series.points[index].control is not None]
            logs = tuple(
                math.log(point.value) - math.log(point.control)
                for point in points
                if point.control is not None
            )
        else:
            logs = tuple([math.log(point.value) for point in points])
        found.append(Segment(dict(environment), tuple(indices), logs, against))
    return tuple(found)


def changes(series: Series, parts: Sequence[Segment], memory: Memory) -> tuple[Found, ...]:
    """The changes of a series within its environments (`parts`, from `segments`), by index."""
    found: list[Found] = []
    for segment in parts:
        its = memory.change_points(segment.logs)
        for place, change in enumerate(its):
            back = next((later for later in its[place + 1 :] if _undone(change, later)), None)
            found.append(
                Found(
                    series=series,
                    index=segment.indices[change.index],
                    before_index=segment.indices[change.index - 1],
                    change=change,
                    against_control=segment.against_control,
                    back=None if back is None else segment.indices[back.index],
                )
            )
    return tuple(sorted(found, key=lambda one: one.index))


def _undone(change: Change, later: Change) -> bool:
    """Whether the level after a later change is as good as the one before this change, or past it."""
    sign = 1 if change.difference > 0 else -1
    return sign * (later.after - change.before) <= BACK_WITHIN
