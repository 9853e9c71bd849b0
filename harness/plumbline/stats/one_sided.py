"""Tests of non-inferiority: "is head less than 3 % slower?"."""

from __future__ import annotations

import math
from typing import Literal

from .compare import MARGIN, YUEN_ASKED_FROM, YUEN_DOUBTS_ABOVE, PairedComparison
from .interval import quantile
from .robust import TRIMMED_SHARE

Answer = Literal["yes", "no", "undecided"]


def not_slower_than(comparison: PairedComparison, share: float, down: float = 0.0, up: float = 0.0) -> Answer:
    """Return whether head is less than `share` (0.03 is 3 %) slower, each answer wrong at most as often as the level
    says.

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


def needed_effect(one: PairedComparison, *, checked: bool = True) -> float:
    """Return the log ratio from which the verdict is `faster`; inf where the check, if asked, never agrees."""
    needed = (one.high - one.low) / 2 - one.effect
    if not checked:
        return needed
    if not all(one.low <= estimate <= one.high for estimate in (one.trimmed, one.hodges_lehmann)):
        return math.inf
    needed = max(needed, -one.trimmed, -one.hodges_lehmann)
    if one.pairs >= YUEN_ASKED_FROM:
        degrees = one.pairs - 2 * int(TRIMMED_SHARE * one.pairs) - 1
        error = abs(one.trimmed) / -quantile(degrees, one.trimmed_p / 2)
        needed = max(needed, quantile(degrees, 1 - YUEN_DOUBTS_ABOVE / 2) * error - one.trimmed)
    return needed


def equivalent_up_to(one: PairedComparison) -> float:
    """Return the log ratio up to which, going up from zero, both one-sided tests hold; -inf where they never do."""
    half = quantile(one.degrees, 1 - one.level) * one.spread / math.sqrt(one.pairs)
    return MARGIN - half - one.effect if half < MARGIN else -math.inf
