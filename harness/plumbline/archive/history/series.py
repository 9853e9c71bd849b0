"""A series: one metric of one subject over many sessions, and its changes within each environment."""

from __future__ import annotations

import math
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from plumbline.model.data_access import AccessClass
from plumbline.verdicts.figures.metrics import Better
from plumbline.verdicts.stats.changes import Change, change_points
from .points import Points


@dataclass(frozen=True)
class FigureSeries:
    """A series of figures over sessions. `better` is None where neither direction is worse; `control` is true for the
    series of the control itself.

    `points` are in the order of time. `data_access` is the class in the newest session. The fields from `subject` to
    `host` are empty for a series that was read from a file.
    """

    id: str
    better: Better | None
    points: Points
    control: bool = False
    subject: str = ""
    scenario: str = ""
    phase: str = ""
    metric: str = ""
    host: str = ""
    data_access: AccessClass = "unknown"


@dataclass(frozen=True)
class SeriesSegment:
    """The points of one environment, by their index in the series, which need not be neighbours.

    An environment that comes back continues its segment. `against_control` says that `logs` are of the ratio to
    the control; points without a control are then left out.
    """

    environment: Mapping[str, str]
    indices: array[int]
    logs: array[float]
    against_control: bool


@dataclass(frozen=True)
class FoundChange:
    """A change of a series between two levels of one environment; `old` and `new` are the points of the levels.

    `surely_old` and `surely_new` are those of them that are on their level even if the changes at its two ends are
    misplaced. `back` is the index of the first later change that brought the level back; None if there is none.
    """

    series: FigureSeries
    old: array[int]
    new: array[int]
    surely_old: array[int]
    surely_new: array[int]
    change: Change
    against_control: bool
    back: int | None

    @property
    def index(self) -> int:
        """The first point of the new level."""
        return self.new[0]

    @property
    def before_index(self) -> int:
        """The last point of the old level."""
        return self.old[-1]

    @property
    def worse(self) -> bool | None:
        """Whether the change is for the worse; None where neither direction is worse."""
        if self.series.better is None:
            return None
        return (self.change.difference < 0) == (self.series.better == "higher")


# A change is located within this number of sessions, and further sessions move it by as many: two change points within
# this number are the same change.
SAME_WITHIN = 5

# A level counts as back when what is left of the change is smaller than any change that is reported.
BACK_WITHIN = math.log(1.01)


def segments(series: FigureSeries) -> tuple[SeriesSegment, ...]:
    """Return the environments of a series, in the order of their first points."""
    columns, nights = series.points.columns, series.points.nights
    of_point = np.asarray(columns.environment)
    values, controls = np.asarray(columns.value), np.asarray(columns.control)
    found = []
    numbers, firsts = np.unique(of_point, return_index=True)
    for number in numbers[np.argsort(firsts)]:
        indices = np.flatnonzero(of_point == number)
        against = not series.control and bool(controls[indices].any())
        if against:
            indices = indices[controls[indices] > 0]
        # The logarithms of numpy differ in their last bit from one processor to another.
        logs = array("d", map(math.log, values[indices].tolist()))
        if against:
            control_logs = map(math.log, controls[indices].tolist())
            logs = array("d", (log - control_log for log, control_log in zip(logs, control_logs, strict=True)))
        environment = nights.environments.table[int(number)]
        found.append(SeriesSegment(environment, array("i", indices.tolist()), logs, against))
    return tuple(found)


def changes(series: FigureSeries, parts: Sequence[SeriesSegment]) -> tuple[FoundChange, ...]:
    """Return the changes of a series within its environments (`parts`, from `segments`), by index."""
    found: list[FoundChange] = []
    for segment in parts:
        segment_changes = change_points(segment.logs)
        indices = segment.indices
        # No change is misplaced beyond the ends of the segment.
        cuts = [-SAME_WITHIN, *(change.index for change in segment_changes), len(indices) + SAME_WITHIN]
        for place, change in enumerate(segment_changes):
            start, cut, end = cuts[place : place + 3]
            back = next((later for later in segment_changes[place + 1 :] if _undone(change, later)), None)
            found.append(
                FoundChange(
                    series=series,
                    old=indices[max(0, start) : cut],
                    new=indices[cut:end],
                    surely_old=indices[start + SAME_WITHIN : max(0, cut - SAME_WITHIN)],
                    surely_new=indices[cut + SAME_WITHIN : end - SAME_WITHIN],
                    change=change,
                    against_control=segment.against_control,
                    back=None if back is None else indices[back.index],
                )
            )
    return tuple(sorted(found, key=lambda found_change: found_change.index))


def _undone(change: Change, later: Change) -> bool:
    """Return whether the level after a later change is back at the level before this change, or past it."""
    sign = 1 if change.difference > 0 else -1
    return sign * (later.after - change.before) <= BACK_WITHIN
