"""The difference between trials under the usual condition and trials under another one, with its bounds.

Student's t for two samples with one variance (pooled), since a proof is a single trial, whose own scatter nobody knows:
it is taken to scatter as those that it is held against.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from .interval import mean, quantile, variance

# Each bound is passed by chance once in twenty times: a proof is asked of every subject of a session.
LEVEL = 0.05


@dataclass(frozen=True)
class RelativeChange:
    """A relative change: 0.02 is 2 % more. `low` and `high` are bounds of `LEVEL` each."""

    value: float
    low: float
    high: float


def relative_change(usual: Sequence[float], other: Sequence[float]) -> RelativeChange:
    """Return the relative change from `usual` values (two at least) to `other` ones (one at least), all positive."""
    if len(usual) < 2 or not other:
        raise ValueError("it takes two usual values and another one")
    logs = [[math.log(value) for value in values] for values in (usual, other)]
    degrees = len(usual) + len(other) - 2
    squares = sum(variance(its) * (len(its) - 1) for its in logs if len(its) > 1)
    spread = math.sqrt(squares / degrees * (1 / len(usual) + 1 / len(other)))
    step, half = mean(logs[1]) - mean(logs[0]), quantile(degrees, 1 - LEVEL) * spread
    return RelativeChange(math.expm1(step), math.expm1(step - half), math.expm1(step + half))
