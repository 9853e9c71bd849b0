"""Makes lines with few points of the counters and gauges of the one-second series."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from plumbline.figures.series import MAX_GAP_S, known
from plumbline.model.evidence import Series
from ..view import Point

# More points than this do not show on a chart of this size, and make the page heavy.
MOST_POINTS = 60


def growth(series: Series, columns: Sequence[str]) -> list[Point]:
    """Return growth a second of several counters together, at the middle of each two rows; none if one is missing."""
    by_time: list[dict[float, float]] = [dict(known(series, column)) for column in columns]
    if not all(by_time):
        return []
    times = sorted(set.intersection(*(set(rows) for rows in by_time)))
    sums = [(t_s, sum(rows[t_s] for rows in by_time)) for t_s in times]
    # A counter that falls was begun anew by another process of the load generator.
    return [
        ((earlier + later) / 2, max(after - before, 0.0) / (later - earlier))
        for (earlier, before), (later, after) in pairwise(sums)
        if 0 < later - earlier <= MAX_GAP_S
    ]


def pieces(points: Iterable[Point]) -> tuple[tuple[Point, ...], ...]:
    """Return the points as lines that break where rows are missing, thinned to MOST_POINTS by means of neighbours."""
    found: list[list[Point]] = []
    for point in points:
        if found and point[0] - found[-1][-1][0] <= MAX_GAP_S:
            found[-1].append(point)
        else:
            found.append([point])
    every = -(-sum(map(len, found)) // MOST_POINTS) or 1
    return tuple(tuple(_thinned(piece, every)) for piece in found)


def _thinned(piece: list[Point], every: int) -> Iterable[Point]:
    for start in range(0, len(piece), every):
        times, values = zip(*piece[start : start + every], strict=True)
        yield sum(times) / len(times), sum(values) / len(values)
