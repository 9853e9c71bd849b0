"""A verdict in sentences, the same everywhere it is shown."""

from __future__ import annotations

import math

from .compare import Comparison
from .looks import Course
from .power import found_by, further_pairs

LARGEST_EXPONENT = 700.0
"""A ratio beyond e^700 is written as that: a float ends soon after, and no measurement gets there."""

HETEROGENEOUS = "heterogeneous trials"


def ratio(log_ratio: float) -> float:
    """exp, held where a float can hold it."""
    return math.exp(max(-LARGEST_EXPONENT, min(LARGEST_EXPONENT, log_ratio)))


def change(log_ratio: float) -> float:
    """The relative change: 0.02 is 2 % more."""
    return math.expm1(min(LARGEST_EXPONENT, log_ratio))


def words(comparison: Comparison) -> str:
    """The verdict with its bracket: `slower (within 2 %)`, `inconclusive (heterogeneous trials)`."""
    verdict = comparison.verdict
    if verdict in ("faster", "slower") and comparison.within_margin:
        return f"{verdict} (within 2 %)"
    if verdict == "inconclusive" and comparison.heterogeneous:
        return f"{verdict} ({HETEROGENEOUS})"
    return verdict


def size(log_ratio: float) -> str:
    """`3.1 % slower`, for a log ratio that is above zero where head is better."""
    share = abs(change(log_ratio))
    if round(share * 100, 1) == 0:
        return "0.0 %"
    return f"{share * 100:.1f} % {'faster' if log_ratio > 0 else 'slower'}"


def interval(comparison: Comparison) -> str:
    """`99 % interval 2.2 to 4.0 % slower`, or with both directions where it contains zero."""
    low, high = comparison.low, comparison.high
    if low * high <= 0:
        return f"99 % interval {size(low)} to {size(high)}"
    near, far = sorted((abs(change(low)), abs(change(high))))
    return f"99 % interval {near * 100:.1f} to {far * 100:.1f} % {'faster' if low > 0 else 'slower'}"


def sentence(comparison: Comparison, subject: str = "Head") -> str:
    """What a reviewer needs, in one sentence."""
    ends = f"{interval(comparison)}, {comparison.pairs} pairs"
    verdict = comparison.verdict
    if verdict in ("faster", "slower"):
        bracket = " (within 2 %)" if comparison.within_margin else ""
        return f"{subject} is {size(comparison.effect)}{bracket}, {ends}."
    if verdict == "equivalent":
        return f"{subject} and base are equivalent: closer than 2 %, {ends}."
    return f"{words(comparison).capitalize()}: {subject.lower()} looks {size(comparison.effect)}, {ends}."


def reason(course: Course, pairs: int) -> str:
    """Why this verdict, after a course of looks over `pairs` given pairs; the course has taken one at least."""
    last = course.last
    assert last is not None
    parts = [_why(last)]
    if last.prior == "used":
        parts.append("Its variance is shared with history.")
    if last.prior == "dropped":
        parts.append("The session is noisier than its prior allows, so the prior was dropped.")
    if len(course.looks) > 1:
        parts.append(
            f"Look {len(course.taken)} of {len(course.looks)} planned, each at a level of {course.level:.2%}."
        )
    if pairs > last.pairs:
        parts.append(f"The {pairs - last.pairs} pairs after that look are not read.")
    return " ".join(parts)


def _why(last: Comparison) -> str:
    t_test = f"p = {last.p:.2g}, level {last.level:.2g}"
    if last.verdict == "equivalent":
        return f"Both one-sided tests put the difference inside 2 % ({t_test} against no difference)."
    if last.verdict != "inconclusive":
        return (
            f"The t test of paired log ratios tells the sides apart ({t_test}), and robust estimates agree."
        )
    if last.heterogeneous:
        return (
            f"Robust estimates contradict the mean (trimmed {size(last.trimmed)}, Hodges-Lehmann "
            f"{size(last.hodges_lehmann)}, {t_test}): a few trials decide it. Look at those before measuring on."
        )
    more = further_pairs(last)
    how_many = (
        "no number of pairs in reach would decide it"
        if more is None
        else f"about {more} more pairs would decide it if the difference is what it seems"
    )
    return (
        f"Neither different nor equivalent for sure ({t_test}). A difference of "
        f"{change(found_by(last)) * 100:.1f} % would have been found with 95 % power; {how_many}."
    )
