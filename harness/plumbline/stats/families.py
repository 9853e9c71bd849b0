"""Adjusts the p values of many questions: each is then compared with the level of the comparison it came from.

Holm over the primary metrics, so that one false alarm among them stays as rare as in a single question;
Benjamini-Hochberg over the rest, so that of what is flagged at most that share is false.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from .compare import PairedComparison

Adjustment = Callable[[Sequence[float]], list[float]]


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjusted p values in the order given (Holm 1979): p(i) (m - i), never below a smaller one's, at most 1."""
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    adjusted = [1.0] * len(p_values)
    largest = 0.0
    for rank, place in enumerate(order):
        largest = max(largest, min(1.0, p_values[place] * (len(order) - rank)))
        adjusted[place] = largest
    return adjusted


def benjamini_hochberg(p_values: Sequence[float]) -> list[float]:
    """Adjusted p values in the order given (Benjamini and Hochberg 1995): p(i) m / i, never above a larger one's."""
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    adjusted = [1.0] * len(p_values)
    smallest = 1.0
    for rank in range(len(order), 0, -1):
        place = order[rank - 1]
        smallest = min(smallest, p_values[place] * (len(order) / rank))
        adjusted[place] = smallest
    return adjusted


def family(comparisons: Mapping[str, PairedComparison], adjustment: Adjustment) -> dict[str, PairedComparison]:
    """The comparisons of one family by name, with adjusted p values: verdicts follow from those."""
    adjusted = adjustment([one.p for one in comparisons.values()])
    return {name: one.with_p(p) for (name, one), p in zip(comparisons.items(), adjusted, strict=True)}
