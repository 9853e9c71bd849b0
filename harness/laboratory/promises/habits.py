"""Habits of today beside what this program does: the verdict of each on the same recorded processes.

A job draws processes of one subject, in the order in which they ran, and gives each to one of two sides; the figures of
the second side are made dearer by a known share. Whoever calls equal sides different is wrong, and right is who says
"slower" of a side that is. Time is that of the machine: all that the processes took, from restore to end.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

import numpy as np
from scipy.stats import mannwhitneyu

from plumbline.verdicts.stats.compare import PairedComparison, compare
from plumbline.verdicts.stats.drift import drift
from plumbline.verdicts.stats.interim import (
    LEVEL_AT_BLOCKS,
    LEVEL_OF_LOOKS,
    LEVELS_OF_LOOKS,
    LOOKS,
    LOOKS_AT_BLOCKS,
)
from plumbline.verdicts.stats.interval import mean, variance
from plumbline.verdicts.stats.ranking import pair_of

DIFFERENT_FROM = 0.01
"""Who has no test at all takes a difference of so much for one."""

THRESHOLD = 0.03
"""An alert at 103 % of the last value, as github-action-benchmark has it for `alert-threshold`."""

BENCHSTAT_LEVEL = 0.05
RUNS_MEANT, RUNS_REPEATED = 3, 10
BUDGET_S = 1200.0
"""The budget of the suite for comparisons."""

CONTROL_AFTER = (2, 6, 12, 20)
"""Blocks after which a session with a budget measures its control as well; it also begins and ends with it."""

Word = Literal["faster", "slower", ""]
"""Of the second side; nothing where none is said."""


@dataclass(frozen=True)
class Process:
    """One recorded process of a subject.

    `cost` is the log of its leading figure, turned so that more is dearer, and `early` that of the best of three
    windows of 5 s after its first 5 s of load; both less the mean of the subject's processes in that session. `seconds`
    are the costs of the measured part second by second, for the bound of their drift; `took_s` is its machine time,
    `early_s` that until those three windows end.
    """

    cost: float
    early: float
    seconds: tuple[float, ...]
    took_s: float
    early_s: float


@dataclass(frozen=True)
class Said:
    """What somebody said of the second side, and after how much machine time."""

    word: Word
    took_s: float


Draw = Callable[[int], Sequence[Process]]
"""So many processes of one subject, in the order in which they ran."""

Habit = Callable[[Draw, float, float], Said]
"""(draw, log ratio by which the second side is dearer, seconds of a trial of the control) -> what is said."""


def mean_of_three(draw: Draw, dearer: float, control_s: float) -> Said:
    """Three runs of one side, three of the other, their means."""
    base, head = _in_one_order(draw, RUNS_MEANT)
    ratio = mean([math.exp(one.cost + dearer) for one in head]) / mean([math.exp(one.cost) for one in base])
    return Said(_beyond(ratio, DIFFERENT_FROM), _took_s(base, head))


def best_of_three_times_5_s(draw: Draw, dearer: float, control_s: float) -> Said:
    """One process a side, 5 s of warm-up, the best of three times 5 s."""
    base, head = draw(2)
    ratio = math.exp(head.early + dearer - base.early)
    return Said(_beyond(ratio, DIFFERENT_FROM), base.early_s + head.early_s)


def hyperfine(draw: Draw, dearer: float, control_s: float) -> Said:
    """Ten runs of one side, ten of the other; hyperfine's `1.05 ± 0.03 times faster` without a 1 in it."""
    base, head = _in_one_order(draw, RUNS_REPEATED)
    sides = [[math.exp(one.cost) for one in base], [math.exp(one.cost + dearer) for one in head]]
    means = [mean(its) for its in sides]
    ratio = means[1] / means[0]
    half = ratio * math.sqrt(sum(variance(its) / mean(its) ** 2 for its in sides))
    word: Word = "slower" if ratio - half > 1 else "faster" if ratio + half < 1 else ""
    return Said(word, _took_s(base, head))


def benchstat(draw: Draw, dearer: float, control_s: float) -> Said:
    """Ten runs of one side, ten of the other; Mann and Whitney's U at 5 %, and the medians."""
    base, head = _in_one_order(draw, RUNS_REPEATED)
    costs = [one.cost for one in base], [one.cost + dearer for one in head]
    p = float(mannwhitneyu(*costs).pvalue)
    step = float(np.median(costs[1]) - np.median(costs[0]))
    word: Word = "" if p >= BENCHSTAT_LEVEL or step == 0 else "slower" if step > 0 else "faster"
    return Said(word, _took_s(base, head))


def threshold(draw: Draw, dearer: float, control_s: float) -> Said:
    """One run, held against the last one."""
    last, now = draw(2)
    ratio = math.exp(now.cost + dearer - last.cost)
    # The last value was measured for the commit before: only the new one takes time.
    return Said("slower" if ratio > 1 + THRESHOLD else "", now.took_s)


def run(draw: Draw, dearer: float, control_s: float) -> Said:
    """`./bench run` with two subjects of a class, until their order is decided; its control takes time as well."""
    word, blocks, took_s = _until_decided(draw, dearer, LOOKS_AT_BLOCKS, LEVEL_AT_BLOCKS)
    # Thrown away, first and last.
    controls = 3 + sum(after < blocks for after in CONTROL_AFTER)
    return Said(word, took_s + controls * control_s)


def compared(draw: Draw, dearer: float, control_s: float) -> Said:
    """`./bench compare` with time enough, one side after the other, until its question is decided."""
    word, _, took_s = _until_decided(draw, dearer, LOOKS, LEVEL_OF_LOOKS)
    return Said(word, took_s)


def compared_in_20_min(draw: Draw, dearer: float, control_s: float) -> Said:
    """`./bench compare` as it is typed: with the looks that its usual budget pays for, beside the control's trial."""
    its = draw(2 * LOOKS[-1])
    room = int((BUDGET_S - control_s) / (2 * mean([one.took_s for one in its])))
    pairs = min(max(room, LOOKS[0]), LOOKS[-1])
    looks = (*(look for look in LOOKS if look < pairs), pairs)
    level = LEVELS_OF_LOOKS[LOOKS[len(looks) - 1]]
    word, _, took_s = _until_decided(lambda count: its[:count], dearer, looks, level)
    return Said(word, took_s + control_s)


HABITS: Mapping[str, Habit] = MappingProxyType(
    {
        "mean of three runs, 1 % apart": mean_of_three,
        "best of three times 5 s, 1 % apart": best_of_three_times_5_s,
        "ten runs each in one order, read as hyperfine's": hyperfine,
        "benchstat on ten and ten (Mann-Whitney, 5 %)": benchstat,
        "103 % of the last value": threshold,
        "`./bench run`, with time enough": run,
        "`./bench compare`, with time enough": compared,
        "`./bench compare`, 20 minutes": compared_in_20_min,
    }
)
DEARER = (0.0, 0.02, 0.05, 0.10)
"""Shares by which the second side is dearer; of 0 every word is wrong."""


@dataclass(frozen=True)
class Measured:
    """Of one habit, by each of DEARER: the share of jobs that it called slower (of 0: anything), and mean seconds."""

    habit: str
    said: Mapping[float, float]
    took_s: Mapping[float, float]


def measured(groups: Sequence[Sequence[Process]], control_s: float, jobs: int, seed: int) -> list[Measured]:
    """Every habit on `jobs` draws of each share; `groups` are the processes of one subject in one session each.

    Processes come in the order in which they ran; where a group ends another one goes on, from its own first on.
    """
    found = []
    for place, (name, habit) in enumerate(HABITS.items()):
        said, took_s = {}, {}
        for which, share in enumerate(DEARER):
            draw = np.random.default_rng((seed, place, which))
            its = [habit(_drawing(draw, groups), math.log1p(share), control_s) for _ in range(jobs)]
            wanted = [one.word == "slower" if share else one.word != "" for one in its]
            said[share], took_s[share] = sum(wanted) / jobs, mean([one.took_s for one in its])
        found.append(Measured(name, said, took_s))
    return found


def _drawing(draw: np.random.Generator, groups: Sequence[Sequence[Process]]) -> Draw:
    def drawn(count: int) -> Sequence[Process]:
        group = groups[int(draw.integers(len(groups)))]
        found = list(group[int(draw.integers(len(group))) :])
        while len(found) < count:
            found += groups[int(draw.integers(len(groups)))]
        return found[:count]

    return drawn


def _in_one_order(draw: Draw, count: int) -> tuple[Sequence[Process], Sequence[Process]]:
    its = draw(2 * count)
    return its[:count], its[count:]


def _took_s(*sides: Sequence[Process]) -> float:
    return sum(one.took_s for side in sides for one in side)


def _beyond(ratio: float, share: float) -> Word:
    return "slower" if ratio > 1 + share else "faster" if 1 / ratio > 1 + share else ""


def _until_decided(draw: Draw, dearer: float, looks: Sequence[int], level: float) -> tuple[Word, int, float]:
    """The word of the first look that decides, or of none; its pairs, and the seconds that their processes took."""
    its = draw(2 * looks[-1])
    for pairs in looks:
        word = _decided(its[: 2 * pairs], dearer, level)
        if word is not None:
            break
    return word or "", pairs, sum(one.took_s for one in its[: 2 * pairs])


def _decided(its: Sequence[Process], dearer: float, level: float) -> Word | None:
    """What both engines of this program say of pairs of processes in ABBA order; None while that is not decided.

    Nothing where the sides are equivalent.
    """
    sides: tuple[list[Process], list[Process]] = [], []
    for place in range(0, len(its), 2):
        first = place // 2 % 2
        sides[first].append(its[place])
        sides[1 - first].append(its[place + 1])
    base, head = sides
    found = compare([one.cost - other.cost - dearer for one, other in zip(base, head, strict=True)], level)
    return None if found.verdict == "inconclusive" else _claimed(found, base, head)


def _claimed(found: PairedComparison, base: Sequence[Process], head: Sequence[Process]) -> Word | None:
    drifts = [drift([one.seconds for one in side], "lower") for side in (head, base)]
    word = pair_of(found, "lower", *drifts).verdict
    if word == "inconclusive":
        return None
    return "" if word == "equivalent" else word
