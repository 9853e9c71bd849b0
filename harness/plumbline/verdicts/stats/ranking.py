"""Ranks with ties: a rank is 1 + the number of subjects that are better for sure.

Each pair is compared by its blocks, as `./bench compare` compares two sides (compare.py): what a block did to one
subject it did to the other. Bonferroni over all pairs (Dunn 1961) holds the whole table at LEVEL: each pair is asked at
LEVEL / pairs, so that the interval of a pair excludes "no difference" exactly where the pair is told apart, and at
most one table in a hundred sets two equal subjects apart anywhere. No order is claimed that a drift within the bounds
of the two figures could reverse (`order`).

Decide whether an order of two subjects may be claimed: only if no drift within the bounds could reverse it.

The interval of the log ratio of the two figures is widened on each side by how far the drift of each could move it.
Where it excludes 0 before the widening and not after, the answer is not "no difference" but that the program is still
changing, or that nobody can tell yet, and how much longer it would take.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from types import MappingProxyType
from typing import Literal

from .compare import LEVEL, MARGIN, MINIMUM_PAIRS, Better, PairedComparison, Verdict, compare
from .drift import Drift, moves_of_ratio
from .interval import mean

Why = Literal["claimed", "chance", "still changing", "can't tell yet"]


@dataclass(frozen=True)
class OrderClaim:
    """The claim of an order. `low` and `high` are the widened interval of log(one / other).

    `why` says whether an order is claimed, and if not: by `chance` the figures can't be told apart at all; a drift that
    is proven (`still changing`) or not excluded (`can't tell yet`) could reverse the order. `more_s` are the further
    seconds of each process that would tell, `more_processes` the further processes; None where that is not known.
    """

    low: float
    high: float
    better: Literal["one", "other"] | None
    why: Why
    more_s: int | None = None
    more_processes: int | None = None

    @property
    def words(self) -> str:
        """Whether the order is claimed and why, as a clause of a sentence."""
        if self.why == "chance":
            return "not told apart from chance"
        if self.why == "can't tell yet" and self.more_s is not None:
            processes = "process" if self.more_processes == 1 else "processes"
            return (
                f"can't tell yet, {self.more_s} s more of each process would do, or {self.more_processes} more "
                f"{processes}"
            )
        return self.why


def order(low: float, high: float, one: Drift | None, other: Drift | None, better: Better) -> OrderClaim:
    """Return the order of two figures by the interval of log(one / other), and how far each may drift.

    A figure whose drift is not known may end up anywhere: nothing is claimed of it.
    """
    if one is None or other is None:
        return OrderClaim(-math.inf, math.inf, None, "can't tell yet")
    falls, rises = moves_of_ratio(one, other, better)
    wide_low, wide_high = low - falls, high + rises
    if low <= 0 <= high:
        return OrderClaim(wide_low, wide_high, None, "chance")
    if wide_low > 0 or wide_high < 0:
        first = (wide_low > 0) == (better == "higher")
        return OrderClaim(wide_low, wide_high, "one" if first else "other", "claimed")
    # Only two drifts can reverse the order: the figure behind gets better, or the figure ahead gets worse.
    behind, ahead = (one, other) if (low > 0) == (better == "lower") else (other, one)
    if behind.changing or ahead.may_worsen > 0:
        return OrderClaim(wide_low, wide_high, None, "still changing")
    gap = low if low > 0 else -high
    limit = math.expm1(gap)
    return OrderClaim(wide_low, wide_high, None, "can't tell yet", behind.more_s(limit), behind.more_processes(limit))


ByBlock = Mapping[int, Sequence[float]]
"""block -> the values of the trials in it."""


@dataclass(frozen=True)
class RankedPair:
    """The comparison of two subjects: effects are above zero where the first one is better.

    `order` is the claim that the drifts of both allow; None where the figures of both need no steady state.
    """

    comparison: PairedComparison
    order: OrderClaim | None

    @cached_property
    def verdict(self) -> Verdict:
        """The verdict of this pair in one word, after the drifts were considered."""
        word = self.comparison.verdict
        if self.order is None or word == "inconclusive":
            return word
        if word == "equivalent":
            return word if max(-self.order.low, self.order.high) < MARGIN else "inconclusive"
        return word if self.order.why == "claimed" else "inconclusive"

    def moves(self, better: Better) -> tuple[float, float]:
        """Return by how much a drift within the proven bounds could lower and raise the effect."""
        if self.order is None:
            return 0.0, 0.0
        _, low, high = self.comparison.log_ratios(better)
        moves = low - self.order.low, self.order.high - high
        return moves if better == "higher" else moves[::-1]

    @cached_property
    def turned(self) -> RankedPair:
        """The same pair with the sides exchanged."""
        turned = self.order and replace(self.order, low=-self.order.high, high=-self.order.low)
        return RankedPair(self.comparison.turned, turned)


def pair_of(comparison: PairedComparison, better: Better, one: Drift | None, other: Drift | None) -> RankedPair:
    """Make the pair of a comparison whose effect is above zero where `one` is better."""
    if one is None and other is None:
        return RankedPair(comparison, None)
    _, low, high = comparison.log_ratios(better)
    return RankedPair(comparison, order(low, high, one, other, better))


@dataclass(frozen=True)
class Ranking:
    """The rank of each contender, and the comparison at `level` of every two with MINIMUM_PAIRS blocks in common.

    Pairs are compared only when somebody asks for them: many callers only ask who has a rank. `logs` are the mean
    logarithms by block, of the contenders that have a ratio to others.
    """

    level: float
    better: Better
    contenders: tuple[str, ...]
    logs: Mapping[str, Mapping[int, float]]
    drifts: Mapping[str, Drift]

    @cached_property
    def ranked(self) -> frozenset[str]:
        """The contenders that have a rank: they share enough blocks with another contender."""
        return frozenset(
            name
            for pair in combinations(self.logs, 2)
            if len(self.logs[pair[0]].keys() & self.logs[pair[1]].keys()) >= MINIMUM_PAIRS
            for name in pair
        )

    @cached_property
    def pairs(self) -> Mapping[tuple[str, str], RankedPair]:
        """The comparisons by (one, other), with one before the other in the alphabet."""
        sign = 1 if self.better == "higher" else -1
        return {
            (one, other): pair_of(
                compare(differences, self.level), self.better, self.drifts.get(one), self.drifts.get(other)
            )
            for one, other in combinations(sorted(self.logs), 2)
            if len(differences := _differences(self.logs[one], self.logs[other], sign)) >= MINIMUM_PAIRS
        }

    @cached_property
    def ahead(self) -> Mapping[str, frozenset[str]]:
        """Contender -> the contenders that are better for sure."""
        winners: dict[str, set[str]] = {name: set() for name in self.ranked}
        for (one, other), pair in self.pairs.items():
            if pair.verdict == "faster":
                winners[other].add(one)
            elif pair.verdict == "slower":
                winners[one].add(other)
        return {name: frozenset(names) for name, names in winners.items()}

    @cached_property
    def ranks(self) -> Mapping[str, int | None]:
        """The rank of each contender; None where there is no contender to compare it with."""
        return {name: 1 + len(self.ahead[name]) if name in self.ranked else None for name in self.contenders}

    def compared(self, one: str, other: str) -> RankedPair | None:
        """Return the pair of two contenders, whichever of them is the first; None where they were not compared."""
        return self.pairs.get((one, other)) or self.pairs.get((other, one))

    def between(self, one: str, other: str) -> RankedPair | None:
        """Return how `one` stands against `other`; None where they were not compared."""
        if (one, other) in self.pairs:
            return self.pairs[one, other]
        turned = self.pairs.get((other, one))
        return None if turned is None else turned.turned


def ranking(
    contenders: Mapping[str, ByBlock],
    better: Better,
    drifts: Mapping[str, Drift] = MappingProxyType({}),
    level: float = LEVEL,
) -> Ranking:
    """Rank contenders by their values. A contender with a value of 0 or less has no ratio to others, and no rank.

    `drifts` are how far the figures may still drift, of those whose figures have to be steady; `level` is shared by all
    pairs of the contenders, whether they have enough blocks or not.
    """
    logs = {
        name: _mean_logs(blocks)
        for name, blocks in contenders.items()
        if all(value > 0 for values in blocks.values() for value in values)
    }
    level /= max(1, math.comb(len(contenders), 2))
    return Ranking(level, better, tuple(contenders), logs, drifts)


def _mean_logs(blocks: ByBlock) -> dict[int, float]:
    """Return block -> mean logarithm of its values, of the blocks that have a value, in their order."""
    return {block: mean([*map(math.log, values)]) for block, values in sorted(blocks.items()) if values}


def _differences(one: Mapping[int, float], other: Mapping[int, float], sign: int) -> list[float]:
    """Return log ratios of common blocks in the order of `one`, above 0 where `one` is better: `sign` is 1 for more."""
    return [sign * (value - other[block]) for block, value in one.items() if block in other]
