"""Measure how the order of trials moved their values: by the place within a block, and by the block's place (rule R32).

In blocks that hold every subject once, value = subject + block + effect x place + noise. Least squares with a level for
each subject and each block (Frisch and Waugh 1933: both values and places less their row and column means, then a line
through what is left) tells the place from the subject. For two sides in ABBA order this is the pooled t test of the
differences taken as AB against those taken as BA.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from .interval import mean, two_sided_p

Table = Sequence[Sequence[float]]
"""One row a block, one column a subject."""


@dataclass(frozen=True)
class Slope:
    """The effect of one step in the order, in the values' unit, and the two-sided p of its t test."""

    step: float
    p: float


def place_effect(values: Table, places: Table) -> Slope | None:
    """Return the effect of one place later within a block on a value.

    None where it can't be told: fewer than two blocks or subjects, no degree of freedom, or the same order in every
    block.
    """
    blocks, subjects = len(values), len(values[0]) if values else 0
    degrees = (blocks - 1) * (subjects - 1) - 1
    if degrees < 1:
        return None
    return _line(centred(places), centred(values), degrees)


def mean_places(places: Table) -> list[float]:
    """Return the mean place of each subject: the places differ by how much the orders are uneven."""
    return [mean(column) for column in zip(*places, strict=True)]


def drift(values: Table) -> Slope | None:
    """Return the effect of one block later in the session on all values alike; None below three blocks."""
    levels = [mean(row) for row in values]
    if len(levels) < 3:
        return None
    middle, level = (len(levels) - 1) / 2, mean(levels)
    return _line(
        [row - middle for row in range(len(levels))],
        [block_level - level for block_level in levels],
        len(levels) - 2,
    )


def centred(table: Table) -> list[float]:
    """Return each value less the means of its row and its column, plus the mean of all; row by row."""
    rows = [mean(row) for row in table]
    columns = mean_places(table)
    overall = mean(rows)
    return [
        value - rows[row] - columns[column] + overall
        for row, row_values in enumerate(table)
        for column, value in enumerate(row_values)
    ]


def _line(steps: Sequence[float], values: Sequence[float], degrees: int) -> Slope | None:
    """Return the line through the origin, with `degrees` of freedom left for the noise; None where no step differs."""
    squares = math.fsum(step * step for step in steps)
    if squares < 1e-9:
        return None
    slope = math.fsum(step * value for step, value in zip(steps, values, strict=True)) / squares
    unexplained = math.fsum((value - slope * step) ** 2 for step, value in zip(steps, values, strict=True))
    error = math.sqrt(unexplained / degrees / squares)
    if error == 0:
        return Slope(slope, 0.0 if slope else 1.0)
    return Slope(slope, two_sided_p(degrees, slope / error))


class Scatter(NamedTuple):
    """Squared deviations and their degrees of freedom: squares / degrees is the variance of one log value."""

    squares: float
    degrees: int


NO_SCATTER = Scatter(0.0, 0)


def scatter(table: Table) -> Scatter:
    """Return the scatter of log values in rows of blocks and columns of subjects; none below two of each."""
    blocks, subjects = len(table), len(table[0]) if table else 0
    if blocks < 2 or subjects < 2:
        return NO_SCATTER
    return Scatter(math.fsum(value * value for value in centred(table)), (blocks - 1) * (subjects - 1))


def scatter_of_one(values: Sequence[float]) -> Scatter:
    """Return the scatter of one subject's log values by pairs of neighbours, so that a drift stays out."""
    pairs = list(zip(values[0::2], values[1::2], strict=False))
    return Scatter(math.fsum((first - second) ** 2 / 2 for first, second in pairs), len(pairs))


def pooled(parts: Sequence[Scatter]) -> Scatter:
    """Return the scatter of several sessions together."""
    return Scatter(math.fsum(part.squares for part in parts), sum(part.degrees for part in parts))
