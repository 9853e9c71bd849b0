"""How much trials scatter, once what tells them apart by design is taken out: who ran, and in which block."""

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
    """Of log values, one row a block and one column a subject; none below two of each."""
    blocks, subjects = len(table), len(table[0]) if table else 0
    if blocks < 2 or subjects < 2:
        return NONE
    return Scatter(math.fsum(value * value for value in centred(table)), (blocks - 1) * (subjects - 1))


def scatter_of_one(values: Sequence[float]) -> Scatter:
    """Of one subject's log values in their order: each two make a pair, so that a drift stays out of it."""
    pairs = list(zip(values[0::2], values[1::2], strict=False))
    return Scatter(math.fsum((one - other) ** 2 / 2 for one, other in pairs), len(pairs))


def together(parts: Sequence[Scatter]) -> Scatter:
    """Of several sessions."""
    return Scatter(math.fsum(part.squares for part in parts), sum(part.degrees for part in parts))
