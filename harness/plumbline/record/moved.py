"""How head's figure differs from base's, in the words that standings have for two subjects."""

from __future__ import annotations

import math

from plumbline.model.comparison import Answer
from plumbline.stats.amounts import against, between


def logs_of(one: Answer) -> tuple[float, float, float]:
    """The log of head over base and the ends of its interval, of a question that was asked."""
    assert one.ratio is not None and one.low is not None and one.high is not None
    return math.log(one.ratio), math.log(one.low), math.log(one.high)


def moved(one: Answer) -> str:
    """`32 % more (99 % interval 11 to 54 %)`; where that is not decided, `between 3 % less and 9 % more`."""
    effect, low, high = logs_of(one)
    return against(effect, low, high) if one.verdict in ("faster", "slower") else between(low, high)
