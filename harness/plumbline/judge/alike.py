"""Finds the value that most trials have, so that rules can name the ones that differ."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable


def usual(values: Iterable[Hashable]) -> Hashable | None:
    """Return the most frequent value; None when there is no value, or when two are equally frequent."""
    frequent = Counter(values).most_common(2)
    if not frequent or (len(frequent) == 2 and frequent[0][1] == frequent[1][1]):
        return None
    return frequent[0][0]
