"""Interim analyses ("looks") of a comparison: ask after 6 pairs, stop when decided, ask again after more.

Asking often at 1 % would raise the false alarms of equal sides to 4 %; one lower level for all looks (Pocock 1977)
keeps them at 1 %. The simulation in levels.py finds that level for certain looks, and it holds for exactly those looks.
The printed interval uses the same level, so that its coverage is right after stopping; the estimate itself is biased
away from zero when a session stops early.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType

from .compare import LEVEL, PairedComparison, compare
from .families import QuestionCourse, follow_jointly
from .levels import level_for
from .power import POWER, equivalent_up_to, needed_effect

LOOKS = (6, 10, 12, 16, 20, 26)

LEVELS_OF_LOOKS: Mapping[int, float] = MappingProxyType(
    {6: LEVEL, 10: 0.0054, 12: 0.0042, 16: 0.0032, 20: 0.0027, 26: 0.0023}
)
"""The level of each of the LOOKS, by the last one that a comparison plans: looks that nobody can reach take nothing."""

LEVEL_OF_LOOKS = LEVELS_OF_LOOKS[LOOKS[-1]]
"""These levels come from `./bench python -m laboratory.promises.levels`, rounded down."""

LOOKS_AT_BLOCKS = tuple(range(4, 27))
"""The looks of a session of a suite, which may end after any block: one block more is one process more of each subject.
"""

LEVELS_AT_BLOCKS: Mapping[int, float] = MappingProxyType(
    {
        4: LEVEL, 5: 0.0059, 6: 0.0043, 7: 0.0035, 8: 0.0030, 9: 0.0026, 10: 0.0023, 11: 0.0021, 12: 0.0020,
        13: 0.0018, 14: 0.0017, 15: 0.0016, 16: 0.0016, 17: 0.0015, 18: 0.0014, 19: 0.0014, 20: 0.0013,
        21: 0.0013, 22: 0.0013, 23: 0.0012, 24: 0.0012, 25: 0.0012, 26: 0.0011,
    }
)  # fmt: skip
"""The level of each look of a suite, by the last block that it plans, found in the same way."""


def course_level(looks: Sequence[int]) -> float:
    """Return the level of each look that keeps false alarms at 1 % over all of them."""
    if len(looks) == 1:
        return LEVEL
    if tuple(looks) == LOOKS[: len(looks)]:
        return LEVELS_OF_LOOKS[looks[-1]]
    return level_for(tuple(looks))


def is_level_of(looks: Sequence[int], level: float, levels: Mapping[int, float]) -> bool:
    """Return whether a level is at most that of so many looks, by the table `levels` of the level by the last look.

    Only their number counts: a final look may be earlier than the planned look in whose place it is.
    """
    return len(looks) <= len(levels) and level <= [*levels.values()][len(looks) - 1]


def follow(
    values: Sequence[float], looks: Sequence[int], holds: Callable[[PairedComparison], bool] = lambda decision: True
) -> QuestionCourse:
    """Ask at each look that `values` (differences, in the order they were measured) reach, until a decision `holds`.

    Values after the deciding look are not read. `looks` ascend and start at MINIMUM_PAIRS or later.
    """
    return follow_jointly({"": values}, {"": looks}, course_level(looks), lambda _, decision: holds(decision))[""]


SEED = 20260302
JOBS = 2000
"""So many simulated comparisons tell a power of 95 % within 1 %."""

HALVINGS = 20


@lru_cache(maxsize=16)
def detectable_in_course(spread: float, looks: tuple[int, ...], questions: int = 1) -> float:
    """Return the log ratio that a session with these looks finds with 95 % power, by the `spread` of differences.

    `questions` share the level: the effect is found although no other question shows a difference.
    """
    draw = random.Random(SEED)
    level = course_level(looks) / questions
    jobs = []
    for _ in range(JOBS):
        values = [draw.gauss(0, spread) for _ in range(looks[-1])]
        course = [compare(values[:look], level) for look in looks]
        jobs.append([(needed_effect(comparison), equivalent_up_to(comparison)) for comparison in course])
    low, high = 0.0, 1.0
    while _share_found(jobs, high * spread) < POWER:
        high *= 2
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if _share_found(jobs, middle * spread) >= POWER else (middle, high)
    return high * spread


def _share_found(jobs: Sequence[Sequence[tuple[float, float]]], effect: float) -> float:
    return sum(_difference_is_found(job, effect) for job in jobs) / len(jobs)


def _difference_is_found(job: Sequence[tuple[float, float]], effect: float) -> bool:
    for needed, equivalent_to in job:
        if effect >= needed:
            return True
        if math.isfinite(needed) and effect <= equivalent_to:
            return False
    return False
