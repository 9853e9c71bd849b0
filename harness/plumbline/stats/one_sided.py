"""Tests of non-inferiority: "is head less than 3 % slower?"."""

from __future__ import annotations

import math
from typing import Literal

from .compare import PairedComparison
from .student import quantile

Answer = Literal["yes", "no", "undecided"]


def not_slower_than(comparison: PairedComparison, share: float, down: float = 0.0, up: float = 0.0) -> Answer:
    """Whether head is less than `share` (0.03 is 3 %) slower, each answer wrong at most as often as the level says.

    The bound is log(1 + share) below equal; heterogeneous trials leave it undecided. A drift may still move the effect
    `down` and `up` by so much. Raises ValueError unless 0 < share < 1.
    """
    if not 0 < share < 1:
        raise ValueError("the share must lie between 0 and 1")
    if comparison.heterogeneous:
        return "undecided"
    half = (
        quantile(comparison.degrees, 1 - comparison.level) * comparison.spread / math.sqrt(comparison.pairs)
    )
    bound = -math.log1p(share)
    if comparison.effect - half - down > bound:
        return "yes"
    return "no" if comparison.effect + half + up < bound else "undecided"
