"""Compute how much trials scatter, apart from the differences between subjects and between blocks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from .places import Table, centred


class Scatter(NamedTuple):
    """Squared deviations and their degrees of freedom: squares / degrees is the variance of one log value."""

    squares: float
    degrees: int


NONE = Scatter(0.0, 0)


def scatter(table: Table) -> Scatter:
    """Return the scatter of log values in rows of blocks and columns of subjects; none below two of each."""
    blocks, subjects = len(table), len(table[0]) if table else 0
    if blocks < 2 or subjects < 2:
        return NONE
    return Scatter(math.fsum(value * value for value in centred(table)), (blocks - 1) * (subjects - 1))


def scatter_of_one(values: Sequence[float]) -> Scatter:
    """Return the scatter of one subject's log values by pairs of neighbours, so that a drift stays out."""
    pairs = list(zip(values[0::2], values[1::2], strict=False))
    return Scatter(math.fsum((one - other) ** 2 / 2 for one, other in pairs), len(pairs))


def pooled(parts: Sequence[Scatter]) -> Scatter:
    """Return the scatter of several sessions together."""
    return Scatter(math.fsum(part.squares for part in parts), sum(part.degrees for part in parts))
