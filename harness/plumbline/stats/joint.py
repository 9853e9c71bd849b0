"""Asks many questions at the same looks: each stops when it is decided, and all share one family of p values.

At each look the p values of all questions, as each stands, are adjusted by Holm; one that has not been asked yet counts
as 1. What is decided stays decided: the smaller p values of others only lower its own factor. Bonferroni's slack covers
that the level of a look, divided by the questions, is a little above the exact one (levels.py: within a tenth).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .compare import PairedComparison, compare
from .families import benjamini_hochberg, family, holm


@dataclass(frozen=True)
class QuestionCourse:
    """The course of one question: its looks, and the last one with its p value adjusted (None before a look)."""

    taken: tuple[PairedComparison, ...]
    last: PairedComparison | None

    @property
    def decided(self) -> bool:
        """Whether there is nothing left to ask."""
        return self.last is not None and self.last.verdict != "inconclusive"


def follow_jointly(
    values: Mapping[str, Sequence[float]], looks: Sequence[int], level: float
) -> dict[str, QuestionCourse]:
    """Ask every question (differences in the order they were measured) at each look that it reaches, until decided.

    Values after a deciding look are not read. Raises ValueError for a look below MINIMUM_PAIRS.
    """
    taken: dict[str, list[PairedComparison]] = {name: [] for name in values}
    adjusted: dict[str, PairedComparison] = {}
    for look in looks:
        for name, its in values.items():
            undecided = name not in adjusted or adjusted[name].verdict == "inconclusive"
            if undecided and len(its) >= look:
                taken[name].append(compare(its[:look], level))
        p_values = holm([its[-1].p if its else 1.0 for its in taken.values()])
        adjusted = {
            name: its[-1].with_p(p) for (name, its), p in zip(taken.items(), p_values, strict=True) if its
        }
    return {name: QuestionCourse(tuple(its), adjusted.get(name)) for name, its in taken.items()}


def ask_once(values: Mapping[str, Sequence[float]], level: float) -> dict[str, PairedComparison]:
    """Compare all values of each question once, adjusted by Benjamini-Hochberg: these questions stop nothing."""
    return family({name: compare(its, level) for name, its in values.items()}, benjamini_hochberg)
