"""The verdict on two sides from their paired trials.

A difference is log(head / base) of one pair, turned so that above zero is better. Significance is asked first (t test,
two-sided), equivalence second: the interval that stands beside the verdict lies inside the margin, which is stricter
than two one-sided tests at the level (Schuirmann 1987). A difference that neither decides is inconclusive: "no change"
is never concluded from a missing significance.

    significant?  yes -> robust estimates agree?  yes -> faster, slower (within 2 % if the interval is)
                                                  no  -> inconclusive (heterogeneous trials)
                  no  -> within the margin?       yes -> equivalent, if the robust estimates lie in the interval
                                                  no  -> inconclusive
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

from .interval import hodges_lehmann, mean, quantile, trimmed_mean, two_sided_p, variance, yuen

LEVEL = 0.01
"""The share of comparisons of equal sides that may wrongly say `faster` or `slower`, with one look."""

MARGIN = math.log(1.02)
"""The margin of equivalence: 2 %, alike in both directions, so that swapped sides give the swapped verdict."""

MINIMUM_PAIRS = 3
"""A comparison needs three pairs: the spread of two is one difference, and the interval useless."""

YUEN_ASKED_FROM = 10
"""The number of pairs from which the trimmed test must not contradict: below, its degrees of freedom are too few."""

YUEN_DOUBTS_ABOVE = 0.05

ROUNDING = 1e-12
"""The error that floating point may add to a log ratio; smaller differences count as none."""

Verdict = Literal["faster", "slower", "equivalent", "inconclusive"]
Better = Literal["higher", "lower"]


@dataclass(frozen=True)
class PairedComparison:
    """The result of a comparison. All effects are log ratios, above zero where head is better.

    `low` and `high` are the interval of confidence 1 - `level`; `spread` is the standard deviation of a difference;
    `p` is two-sided. The robust estimates are those of `values`; they are computed only where a test decides. The
    comparison is one of so many `questions` that share the level.
    """

    values: tuple[float, ...]
    level: float
    effect: float
    low: float
    high: float
    spread: float
    p: float
    questions: int = 1

    @property
    def strictest_level(self) -> float:
        """The level of the question while no other question is answered: the first step of Holm's method."""
        return self.level / self.questions

    @property
    def pairs(self) -> int:
        """The number of differences."""
        return len(self.values)

    @property
    def degrees(self) -> int:
        """The degrees of freedom of the t test."""
        return self.pairs - 1

    @cached_property
    def trimmed(self) -> float:
        """The trimmed mean of the differences."""
        return trimmed_mean(self.values)

    @cached_property
    def trimmed_p(self) -> float:
        """The two-sided p of Yuen's test, which tests the trimmed mean."""
        return yuen(self.values).p

    @cached_property
    def hodges_lehmann(self) -> float:
        """The Hodges-Lehmann estimate of the differences."""
        return hodges_lehmann(self.values)

    @property
    def significant(self) -> bool:
        """Whether the t test tells the sides apart."""
        return self.p < self.level

    @property
    def within_margin(self) -> bool:
        """Whether the whole interval lies inside the margin."""
        return max(-self.low, self.high) < MARGIN

    @property
    def heterogeneous(self) -> bool:
        """Whether a robust estimate contradicts what the t test or the equivalence test would say."""
        robust = (self.trimmed, self.hodges_lehmann)
        if any(not self.low - ROUNDING <= estimate <= self.high + ROUNDING for estimate in robust):
            return True
        if not self.significant:
            return False
        if any(estimate * self.effect < 0 for estimate in robust):
            return True
        return self.pairs >= YUEN_ASKED_FROM and self.trimmed_p > YUEN_DOUBTS_ABOVE

    @property
    def verdict(self) -> Verdict:
        """The verdict in one word: faster, slower, equivalent or inconclusive."""
        if not (self.significant or self.within_margin) or self.heterogeneous:
            return "inconclusive"
        if not self.significant:
            return "equivalent"
        return "faster" if self.effect > 0 else "slower"

    @property
    def fails(self) -> bool:
        """Whether the comparison fails a pull request: head is slower, and not merely within the margin."""
        return self.verdict == "slower" and not self.within_margin

    @property
    def turned(self) -> PairedComparison:
        """The same comparison with the sides exchanged."""
        return replace(
            self,
            values=tuple(-value for value in self.values),
            effect=-self.effect,
            low=-self.high,
            high=-self.low,
        )

    def log_ratios(self, better: Better) -> tuple[float, float, float]:
        """Return the log ratio of the values, head to base, with its interval: above zero where head has more."""
        if better == "higher":
            return self.effect, self.low, self.high
        return -self.effect, -self.high, -self.low

    def with_p(self, p: float, questions: int) -> PairedComparison:
        """Return the comparison with a p value that was adjusted for its family of so many questions.

        The interval becomes that of the level that the adjustment leaves to the question: without a verdict it
        contains 0.
        """
        if not 0 < self.p < p or self.high == self.low:
            return replace(self, p=p, questions=questions)
        wider = quantile(self.degrees, 1 - self.level * self.p / p / 2) / quantile(self.degrees, 1 - self.level / 2)
        half = wider * (self.high - self.low) / 2
        return replace(self, p=p, low=self.effect - half, high=self.effect + half, questions=questions)


def differences(pairs: Sequence[tuple[float, float]], better: Better) -> list[float]:
    """Return (base, head) of each pair -> log ratio, above zero where head is better. All values are above zero."""
    sign = 1 if better == "higher" else -1
    return [sign * (math.log(head) - math.log(base)) for base, head in pairs]


def compare(values: Sequence[float], level: float = LEVEL) -> PairedComparison:
    """Compare two sides by independent differences. Raises ValueError below MINIMUM_PAIRS."""
    count = len(values)
    if count < MINIMUM_PAIRS:
        raise ValueError(f"fewer than {MINIMUM_PAIRS} pairs")
    effect = mean(values)
    spread = math.sqrt(variance(values))
    error = spread / math.sqrt(count)
    half = quantile(count - 1, 1 - level / 2) * error
    return PairedComparison(
        values=tuple(values),
        level=level,
        effect=effect,
        low=effect - half,
        high=effect + half,
        spread=spread,
        p=_p_value(effect, error, count - 1),
    )


def _p_value(effect: float, error: float, degrees: int) -> float:
    """Return the two-sided p value of an effect; without scatter it is 0 for a difference and 1 for none."""
    if error > ROUNDING:
        return two_sided_p(degrees, effect / error)
    return 0.0 if abs(effect) > ROUNDING else 1.0
