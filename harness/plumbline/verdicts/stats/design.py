"""Checks that a comparison may rest on the order in which its trials were taken (rules R31 and R32).

Interleaved pairs run one after the other, and `order` says for each pair which side ran first. In a duet both
sides run at once, and `order` says which side had the first set of CPUs. What is not given is reported as unstated.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from plumbline.model.errors import UsageError
from .amounts import change
from .interval import mean, two_sided_p, variance

Kind = Literal["interleaved", "duet"]
Stated = Literal["stated", "unstated"]

ORDER_EFFECT_LEVEL = 0.01

UNEVEN_FROM = 2
"""The orders AB and BA are uneven from a difference of two pairs on: an odd number of pairs has a difference of one."""

_ABBA = "Take pairs in ABBA order with a random start."


@dataclass(frozen=True)
class Design:
    """A design that is not forbidden. `notes` are sentences about what the design leaves open."""

    kind: Kind
    order: Stated
    process: Stated
    notes: tuple[str, ...]


def examine(
    values: Sequence[float],
    kind: Kind = "interleaved",
    order: Sequence[str] | None = None,
    process: Sequence[tuple[str, str]] | None = None,
) -> Design:
    """Return the design of the differences `values`. Raises UsageError, naming what is forbidden.

    `order` is "AB" or "BA" for each pair (A is base), or the letters of all trials as they ran; `process` names the
    process of base and of head in each pair.
    """
    notes: list[str] = []
    if order is None:
        notes.append("The order of the trials is unstated, so drift and carry-over are not ruled out.")
    else:
        notes += _order_notes(values, kind, "".join(order))
    if process is None:
        notes.append("The processes are unstated, so it is taken on trust that each trial is a fresh one.")
    else:
        _check_fresh(len(values), process)
    return Design(
        kind,
        "unstated" if order is None else "stated",
        "unstated" if process is None else "stated",
        tuple(notes),
    )


def _order_notes(values: Sequence[float], kind: Kind, letters: str) -> list[str]:
    count = len(values)
    if set(letters) - {"A", "B"} or letters.count("A") != count or letters.count("B") != count:
        raise UsageError(
            f"`order` does not name {count} trials of A and {count} of B.",
            'Give "AB" or "BA" for each pair, A being base.',
        )
    first, last = letters[:count], letters[count:]
    if kind == "interleaved" and count > 1 and len(set(first)) == len(set(last)) == 1:
        raise UsageError(
            f"Refused, design 'all {first[0]} before all {last[0]}': a drift of the host looks like a difference.",
            _ABBA,
        )
    pairs = [letters[place : place + 2] for place in range(0, 2 * count, 2)]
    if any(pair not in ("AB", "BA") for pair in pairs):
        raise UsageError(
            "Refused, design 'not in pairs': the two trials of a pair did not run next to each other.", _ABBA
        )
    if len(set(pairs)) == 1:
        advantage = "ran first" if kind == "interleaved" else "had the first CPUs"
        raise UsageError(
            f"Refused, design 'never swapped': {pairs[0][0]} {advantage} in every pair, "
            "so what the place does looks like a difference.",
            _ABBA,
        )
    uneven = abs(pairs.count("AB") - pairs.count("BA")) >= UNEVEN_FROM
    effect = _order_effect(values, pairs)
    if effect is not None and uneven:
        raise UsageError(
            f"Refused, design 'order effect in uneven orders': pairs taken as AB measure {change(effect)} "
            f"than those taken as BA, and AB was taken {pairs.count('AB')} times, BA {pairs.count('BA')} times.",
            _ABBA,
        )
    if effect is not None:
        return [
            f"The order matters: pairs taken as AB measure {change(effect)} than those taken as BA; as many of each "
            "cancel that."
        ]
    if uneven:
        return [f"The orders are uneven: AB {pairs.count('AB')} times, BA {pairs.count('BA')} times."]
    return []


def _order_effect(values: Sequence[float], pairs: Sequence[str]) -> float | None:
    """Return how far differences taken as AB lie above those taken as BA (pooled t test); None if it may be chance."""
    as_ab, as_ba = (
        [value for value, pair in zip(values, pairs, strict=True) if pair == order] for order in ("AB", "BA")
    )
    if len(as_ab) < 2 or len(as_ba) < 2:
        return None
    degrees = len(values) - 2
    pooled = ((len(as_ab) - 1) * variance(as_ab) + (len(as_ba) - 1) * variance(as_ba)) / degrees
    error = math.sqrt(pooled * (1 / len(as_ab) + 1 / len(as_ba)))
    apart = mean(as_ab) - mean(as_ba)
    if error == 0 or two_sided_p(degrees, apart / error) >= ORDER_EFFECT_LEVEL:
        return None
    return apart


def _check_fresh(count: int, process: Sequence[tuple[str, str]]) -> None:
    if len(process) != count:
        raise UsageError(f"`process` names {len(process)} pairs, and there are {count}.", "Give two for each pair.")
    name, times = Counter(name for pair in process for name in pair).most_common(1)[0]
    if times > 1:
        raise UsageError(
            f"Refused, design 'one process under many pairs': process {name} stands under {times} trials, and trials "
            "of one process are no replicates.",
            "Start a fresh process for each trial.",
        )
