"""Ranks with ties: a rank is 1 + the number of those that are better for sure.

Two are told apart by the log ratio of their trials, paired by block, since what a block did to one of them it
did to the other: t = mean(d) / (s_d / sqrt(n)) with n - 1 degrees of freedom (METHOD 2). With fewer than two
blocks in common it falls back to Welch's unpaired test of the logs (Welch 1947; degrees of freedom by Welch
and Satterthwaite):

    t = (m1 - m2) / sqrt(v1/n1 + v2/n2),  df = (v1/n1 + v2/n2)^2 / ((v1/n1)^2/(n1-1) + (v2/n2)^2/(n2-1))

Bonferroni over all pairs (Dunn 1961) holds the family of them at 5 %: that two equal ones are set apart
anywhere in a table happens in one table of twenty at most. Values that are not positive have no logarithm;
where there is one, all are compared as they are, by the same tests.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Literal

from .moments import mean, variance
from .student import two_sided_p

FAMILY_ALPHA = 0.05

ByBlock = Mapping[int, Sequence[float]]
"""block -> the values of the trials in it."""


def ranks(contenders: Mapping[str, ByBlock], better: Literal["higher", "lower"]) -> dict[str, int | None]:
    """The rank of each contender by name; None below two trials, and such a one sets nobody back."""
    ranked = {name: blocks for name, blocks in contenders.items() if _count(blocks) >= 2}
    logarithmic = all(
        value > 0 for blocks in ranked.values() for values in blocks.values() for value in values
    )
    scaled = {name: _scaled(blocks, logarithmic) for name, blocks in ranked.items()}
    pairs = list(combinations(sorted(scaled), 2))
    behind = dict.fromkeys(scaled, 0)
    for one, other in pairs:
        difference, p = compared(scaled[one], scaled[other])
        if p < FAMILY_ALPHA / len(pairs):
            behind[other if (difference > 0) == (better == "higher") else one] += 1
    return {name: 1 + behind[name] if name in behind else None for name in contenders}


def compared(one: ByBlock, other: ByBlock) -> tuple[float, float]:
    """Mean difference (one - other) and its two-sided p value; each has two trials or more."""
    common = sorted(set(one) & set(other))
    if len(common) >= 2:
        differences = [mean(one[block]) - mean(other[block]) for block in common]
        error = math.sqrt(variance(differences) / len(differences))
        return _tested(mean(differences), error, len(differences) - 1)
    first, second = ([value for values in blocks.values() for value in values] for blocks in (one, other))
    parts = [variance(values) / len(values) for values in (first, second)]
    spread = math.fsum(parts)
    below = math.fsum(
        part**2 / (len(values) - 1) for part, values in zip(parts, (first, second), strict=True)
    )
    return _tested(mean(first) - mean(second), math.sqrt(spread), spread**2 / below if below > 0 else 1)


def _tested(difference: float, error: float, degrees: float) -> tuple[float, float]:
    """The p value of a difference; without any spread a difference is certain, and none is none."""
    if error == 0:
        return difference, 0.0 if difference else 1.0
    return difference, two_sided_p(degrees, difference / error)


def _scaled(blocks: ByBlock, logarithmic: bool) -> dict[int, list[float]]:
    return {
        block: [math.log(value) if logarithmic else value for value in values]
        for block, values in blocks.items()
        if values
    }


def _count(blocks: ByBlock) -> int:
    return sum(len(values) for values in blocks.values())
