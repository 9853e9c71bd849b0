"""Alike or declared: who differs from the others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable


def usual(values: Iterable[Hashable]) -> Hashable | None:
    """What most have; None when there is nothing, or when two values are equally frequent."""
    frequent = Counter(values).most_common(2)
    if not frequent or (len(frequent) == 2 and frequent[0][1] == frequent[1][1]):
        return None
    return frequent[0][0]
