"""The smallest effect that would have turned a comparison into `faster`.

Adding an effect to every difference moves the mean and the robust estimates alike and leaves the spread, so it can be
read off a comparison of equal sides: that makes power exact to simulate, one comparison a job.
"""

from __future__ import annotations

import math

from .compare import MARGIN, YUEN_ASKED_FROM, YUEN_DOUBTS_ABOVE, PairedComparison
from .robust import TRIMMED_SHARE
from .student import quantile


def needed_effect(one: PairedComparison, *, checked: bool = True) -> float:
    """The log ratio from which the verdict is `faster`; inf where the check would never agree, if it is `checked`."""
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
    """The log ratio up to which, going up from zero, both one-sided tests hold; -inf where they never do."""
    half = quantile(one.degrees, 1 - one.level) * one.spread / math.sqrt(one.pairs)
    return MARGIN - half - one.effect if half < MARGIN else -math.inf
