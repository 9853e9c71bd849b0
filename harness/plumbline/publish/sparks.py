"""The small trend charts beside a matrix: the first of each measure, night by night, as ratios to the control."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from .model.matrix import Matrix, Spark, SparkLine
from .table import NONE, Nightly

_LINES = 4
"""The number of lines that a reader can follow in a chart of this size."""

_NIGHTS = 60
_LEAST_RANGE = 1.05
"""A chart spans at least this factor to either side of its middle, so that noise looks like noise."""


def sparks(
    grid: Matrix, hosts: Sequence[str], scenario: str, ids: Mapping[str, str], nightly: Nightly
) -> Iterator[Spark]:
    """A chart for each measure that has a line of two nights.

    `hosts` are those of the sources of the matrix; `ids` gives the id of a subject by its slug.
    """
    for place, column in enumerate(grid.columns):
        ranked = [
            (cell.rank, row)
            for row, its in enumerate(grid.rows)
            if (cell := its.cells[place]) is not None and cell.rank is not None
        ]
        lines: list[SparkLine] = []
        for _, row in sorted(ranked):
            key = (hosts[column.source], ids[grid.rows[row].subject], scenario, column.phase, column.metric)
            points = _points(nightly, key)
            if len(points) > 1 and len(lines) < _LINES:
                lines.append(SparkLine(row=row, points=points))
        if lines:
            ratios = [ratio for line in lines for _, ratio in line.points]
            middle = math.sqrt(min(ratios) * max(ratios))
            reach = max(max(ratios) / middle, _LEAST_RANGE)
            times = [t for line in lines for t, _ in line.points]
            yield Spark(
                column=place,
                since=min(times),
                until=max(times),
                low=middle / reach,
                high=middle * reach,
                lines=tuple(lines),
            )


def _points(nightly: Nightly, key: tuple[str, str, str, str, str]) -> tuple[tuple[int, float], ...]:
    if key not in nightly.shown:
        return ()
    nights, ratios = nightly.table.columns[key].at, nightly.shown[key].ratio
    its = [(nightly.t[night], ratio) for night, ratio in zip(nights, ratios, strict=True) if ratio != NONE]
    return tuple(its[-_NIGHTS:])
