"""Puts a verdict and its reason in words."""

from __future__ import annotations

import math
from collections.abc import Sequence

from .amounts import change as moved
from .amounts import largest_change
from .compare import Better, PairedComparison
from .families import QuestionCourse
from .power import detectable_by

LARGEST_EXPONENT = 700.0
"""A ratio beyond e^700 is written as e^700: a float can hold little more, and no measurement gets there."""

HETEROGENEOUS = "heterogeneous trials"


def ratio(log_ratio: float) -> float:
    """Return exp(log_ratio), kept within what a float can hold."""
    return math.exp(max(-LARGEST_EXPONENT, min(LARGEST_EXPONENT, log_ratio)))


def change(log_ratio: float) -> float:
    """Return the relative change: 0.02 is 2 % more."""
    return math.expm1(min(LARGEST_EXPONENT, log_ratio))


def words(comparison: PairedComparison) -> str:
    """Return the verdict with its bracket: `slower (within 2 %)`, `inconclusive (heterogeneous trials)`."""
    verdict = comparison.verdict
    if verdict in ("faster", "slower") and comparison.within_margin:
        return f"{verdict} (within 2 %)"
    if verdict == "inconclusive" and comparison.heterogeneous:
        return f"{verdict} ({HETEROGENEOUS})"
    return verdict


def reason(course: QuestionCourse, looks: Sequence[int], pairs: int, better: Better) -> str:
    """Return why the verdict is what it is, after one of the `looks` or more over `pairs` given pairs."""
    last = course.last
    assert last is not None
    parts = [_reason_of_last_look(last, better)]
    if len(looks) > 1:
        parts.append(f"Look {len(course.taken)} of {len(looks)} planned, each at a level of {last.level * 100:.2f} %.")
    if pairs > last.pairs:
        parts.append(f"The {pairs - last.pairs} pairs after that look are not read.")
    return " ".join(parts)


def _reason_of_last_look(last: PairedComparison, better: Better) -> str:
    t_test = f"p = {last.p:.2g}, level {last.level:.2g}"
    if last.verdict == "equivalent":
        return f"The whole interval lies inside 2 % ({t_test} against no difference)."
    if last.verdict != "inconclusive":
        return f"The t test of paired log ratios tells the sides apart ({t_test}), and robust estimates agree."
    if last.heterogeneous:
        trimmed, middle = (
            moved(estimate if better == "higher" else -estimate) for estimate in (last.trimmed, last.hodges_lehmann)
        )
        return (
            f"Robust estimates contradict the mean (trimmed {trimmed}, Hodges-Lehmann {middle}, {t_test}): a few "
            "trials decide it."
        )
    return (
        f"Neither different nor equivalent for sure ({t_test}). A difference of "
        f"{largest_change([detectable_by(last)])} would have been found with 95 % power."
    )
