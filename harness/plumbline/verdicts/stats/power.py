"""Compute what a comparison could find: the minimum detectable effect, and how many further pairs would decide.

The effect that the t test finds with 95 % power is the noncentrality at which P(T < t(1 - level / 2)) is 5 %. The check
by robust estimates costs a little of that power: CHECK_COST, from simulation with the check in place.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Literal

from .compare import LEVEL, MARGIN, YUEN_ASKED_FROM, YUEN_DOUBTS_ABOVE, PairedComparison
from .interval import TRIMMED_SHARE, quantile
from .special import special

POWER = 0.95

CHECK_COST = 1.015
"""The factor by which the robust check raises the effect that is found, from ten pairs on at a level of 1 %: 2.6 % at
ten pairs, 1.7 % at fifteen, about 1 % elsewhere. Below ten pairs, and at the level of sequential looks, the check costs
nothing. `./bench python -m laboratory.promises.levels` shows it again.
"""

CHECK_COSTS_FROM_LEVEL = 0.005

PAIRS_LIMIT = 1000
"""The most pairs of a session: if more would be needed, the answer is that measuring on does not decide."""


def detectable_effect(pairs: int, spread: float, level: float = LEVEL) -> float:
    """Return the log ratio found with 95 % power by `pairs` differences that scatter by `spread` (a standard
    deviation). Raises ValueError below two pairs.
    """
    if pairs < 2:
        raise ValueError("fewer than two pairs")
    return _factor(pairs, level) * spread


def detectable_by(comparison: PairedComparison) -> float:
    """Return the log ratio that comparisons with as many pairs and this much noise find in 95 of 100 cases.

    The standard deviation of a sample is too small on average (by c4); without the correction the effect would be, too.
    """
    spread = comparison.spread / _c4(comparison.degrees)
    return detectable_effect(comparison.pairs, spread, comparison.strictest_level)


def further_pairs(comparison: PairedComparison) -> int | None:
    """Return how many more pairs would decide with 95 % power if the difference is what it seems; None beyond all
    reason.

    Only even totals count, since ABBA comes in twos. A decided comparison is significant, or inside the margin.
    """
    size, level = abs(comparison.effect), comparison.strictest_level
    for total in range(comparison.pairs + 1 + (comparison.pairs + 1) % 2, PAIRS_LIMIT + 1, 2):
        error = comparison.spread / math.sqrt(total)
        if size >= found_errors(total - 1, level) * error or _equivalence_power(total - 1, size, error, level) >= POWER:
            return total - comparison.pairs
    return None


def _equivalence_power(degrees: int, size: float, error: float, level: float) -> float:
    """Return how often the interval of a difference of this size lies inside the margin, on both sides."""
    half = quantile(degrees, 1 - level / 2) * error
    inside = (float(special().stdtr(degrees, (MARGIN - half - move) / error)) for move in (size, -size))
    return sum(inside) - 1


@lru_cache(maxsize=4096)
def found_errors(degrees: float, level: float) -> float:
    """Return the effect, in standard errors, that a two-sided t test finds with 95 % power."""
    return float(special().nctdtrinc(degrees, 1 - POWER, quantile(degrees, 1 - level / 2)))


def _factor(pairs: int, level: float) -> float:
    """Return the effect in units of the spread."""
    checked = pairs >= YUEN_ASKED_FROM and level >= CHECK_COSTS_FROM_LEVEL
    return found_errors(pairs - 1, level) / math.sqrt(pairs) * (CHECK_COST if checked else 1.0)


@lru_cache(maxsize=4096)
def _c4(degrees: int) -> float:
    """Return E(s) / sigma for a standard deviation with these degrees of freedom."""
    log_gamma = special().gammaln
    return math.sqrt(2 / degrees) * math.exp(float(log_gamma((degrees + 1) / 2) - log_gamma(degrees / 2)))


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
    half = quantile(comparison.degrees, 1 - comparison.level) * comparison.spread / math.sqrt(comparison.pairs)
    bound = -math.log1p(share)
    if comparison.effect - half - down > bound:
        return "yes"
    return "no" if comparison.effect + half + up < bound else "undecided"


def needed_effect(comparison: PairedComparison, *, checked: bool = True) -> float:
    """Return the log ratio from which the verdict is `faster`; inf where the check, if asked, never agrees."""
    needed = (comparison.high - comparison.low) / 2 - comparison.effect
    if not checked:
        return needed
    if not all(
        comparison.low <= estimate <= comparison.high for estimate in (comparison.trimmed, comparison.hodges_lehmann)
    ):
        return math.inf
    needed = max(needed, -comparison.trimmed, -comparison.hodges_lehmann)
    if comparison.pairs >= YUEN_ASKED_FROM:
        degrees = comparison.pairs - 2 * int(TRIMMED_SHARE * comparison.pairs) - 1
        error = abs(comparison.trimmed) / -quantile(degrees, comparison.trimmed_p / 2)
        needed = max(needed, quantile(degrees, 1 - YUEN_DOUBTS_ABOVE / 2) * error - comparison.trimmed)
    return needed


def equivalent_up_to(comparison: PairedComparison) -> float:
    """Return up to which log ratio, from 0 on, the interval lies inside the margin; -inf where it never does."""
    half = (comparison.high - comparison.low) / 2
    return MARGIN - half - comparison.effect if half < MARGIN else -math.inf
