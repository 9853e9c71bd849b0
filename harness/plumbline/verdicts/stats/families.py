"""Holm and Benjamini-Hochberg, and many questions asked at the same interim analyses.

Each question stops when it is settled, and all questions share one family of p values. At each look the latest p values
of all questions are adjusted by Holm; a question that has not been asked yet counts as 1. A settled question stays
settled, with the p value of its look: a look spends its part of the level once, and a rejection at any look is final
(Maurer and Bretz 2013). A decision that may not be claimed for another reason settles nothing, so that its question is
asked again: to stop less often causes no more errors. The level of a look, divided by the number of questions, is a
little above the exact level (levels.py: within a tenth); the slack of Bonferroni covers that.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from .compare import PairedComparison, compare

Adjustment = Callable[[Sequence[float]], list[float]]


def holm(p_values: Sequence[float]) -> list[float]:
    """Return adjusted p values in the order given (Holm 1979): p(i) (m - i), at most 1, never below a smaller p's."""
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    adjusted = [1.0] * len(p_values)
    largest = 0.0
    for rank, place in enumerate(order):
        largest = max(largest, min(1.0, p_values[place] * (len(order) - rank)))
        adjusted[place] = largest
    return adjusted


def benjamini_hochberg(p_values: Sequence[float]) -> list[float]:
    """Return adjusted p values in the order given (Benjamini and Hochberg 1995): p(i) m / i, made monotonic."""
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    adjusted = [1.0] * len(p_values)
    smallest = 1.0
    for rank in range(len(order), 0, -1):
        place = order[rank - 1]
        smallest = min(smallest, p_values[place] * (len(order) / rank))
        adjusted[place] = smallest
    return adjusted


def family(comparisons: Mapping[str, PairedComparison], adjustment: Adjustment) -> dict[str, PairedComparison]:
    """Return the comparisons of one family by name, with adjusted p values, from which the verdicts follow."""
    adjusted = adjustment([comparison.p for comparison in comparisons.values()])
    return {
        name: comparison.with_p(p, len(adjusted))
        for (name, comparison), p in zip(comparisons.items(), adjusted, strict=True)
    }


@dataclass(frozen=True)
class QuestionCourse:
    """The course of one question: its looks, and the last one with its p value adjusted (None before a look)."""

    taken: tuple[PairedComparison, ...]
    last: PairedComparison | None

    @property
    def decided(self) -> bool:
        """Whether the last look decided the question."""
        return self.last is not None and self.last.verdict != "inconclusive"


Holds = Callable[[str, PairedComparison], bool]
"""(the question, its decision at a look) -> whether the decision may be claimed."""


def follow_jointly(
    values: Mapping[str, Sequence[float]],
    looks: Mapping[str, Sequence[int]],
    level: float,
    holds: Holds = lambda name, decision: True,
) -> dict[str, QuestionCourse]:
    """Ask every question (differences in the order of measurement) at each of its looks that it reaches, until it is
    settled.

    A question is settled by a decision that `holds`. Values after its look are not read. Raises ValueError for a look
    below MINIMUM_PAIRS.
    """
    taken: dict[str, list[PairedComparison]] = {name: [] for name in values}
    last: dict[str, PairedComparison] = {}
    settled: set[str] = set()
    for look in sorted({look for looks_of_question in looks.values() for look in looks_of_question}):
        for name, differences in values.items():
            if name not in settled and look in looks[name] and len(differences) >= look:
                taken[name].append(compare(differences[:look], level))
        p_values = holm([comparisons[-1].p if comparisons else 1.0 for comparisons in taken.values()])
        for (name, comparisons), p in zip(taken.items(), p_values, strict=True):
            if comparisons and name not in settled:
                last[name] = comparisons[-1].with_p(p, len(p_values))
                if last[name].verdict != "inconclusive" and holds(name, last[name]):
                    settled.add(name)
    return {name: QuestionCourse(tuple(comparisons), last.get(name)) for name, comparisons in taken.items()}


def ask_once(values: Mapping[str, Sequence[float]], level: float) -> dict[str, PairedComparison]:
    """Compare all values of each question once, adjusted by Benjamini-Hochberg: these questions stop nothing."""
    return family({name: compare(differences, level) for name, differences in values.items()}, benjamini_hochberg)
