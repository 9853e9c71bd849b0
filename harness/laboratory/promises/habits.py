"""Common habits of benchmarking next to this program: the verdict of each habit on the same recorded processes.

A job draws processes with replacement, each by its deviation from the mean of its subject, and gives each process to
one of two sides; the figures of the second side are made dearer by a known share. A habit is wrong if it calls equal
sides different, and right if it calls a dearer side slower. Time is machine time: all that the processes took, from
restore to end.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

import numpy as np
from scipy.stats import mannwhitneyu

from plumbline.model.plan import CONTROL_AFTER
from plumbline.verdicts.stats.compare import PairedComparison, compare
from plumbline.verdicts.stats.drift import drift
from plumbline.verdicts.stats.interim import (
    LEVEL_OF_LOOKS,
    LEVELS_AT_BLOCKS,
    LEVELS_OF_LOOKS,
    LOOKS,
    LOOKS_AT_BLOCKS,
)
from plumbline.verdicts.stats.interval import mean, variance
from plumbline.verdicts.stats.ranking import pair_of

DIFFERENT_FROM = 0.01
"""A habit without any test takes a ratio that is off by this share for a difference."""

THRESHOLD = 0.03
"""An alert at 103 % of the last value, as github-action-benchmark has it for `alert-threshold`."""

BENCHSTAT_LEVEL = 0.05
RUNS_AVERAGED, RUNS_REPEATED = 3, 10
BUDGET_S = 1200.0
"""The budget of the suite for comparisons."""

Word = Literal["faster", "slower", ""]
"""The verdict on the second side; empty where there is none."""


@dataclass(frozen=True)
class Process:
    """One recorded process of a subject.

    `cost` is the log of the process's leading figure, with the sign by which more is dearer. `early` is the same log of
    the best of three windows of 5 s, after the first 5 s of load. From both the mean of the subject's processes in that
    session is subtracted. `seconds` are the costs of the measured part second by second, for the bound of their drift.
    `took_s` is the machine time of the process, `early_s` its machine time until those three windows end.
    """

    cost: float
    early: float
    seconds: tuple[float, ...]
    took_s: float
    early_s: float


@dataclass(frozen=True)
class HabitVerdict:
    """A verdict on the second side, and the machine time that it took."""

    word: Word
    took_s: float


Draw = Callable[[int], Sequence[Process]]
"""A count -> so many processes, in the order in which they are taken to run."""

Habit = Callable[[Draw, float, float], HabitVerdict]
"""(draw, log ratio by which the second side is dearer, seconds of a trial of the control) -> the verdict."""


def mean_of_three(draw: Draw, dearer: float, control_s: float) -> HabitVerdict:
    """Compare the means of three runs of one side and three of the other."""
    base, head = _in_one_order(draw, RUNS_AVERAGED)
    ratio = mean([math.exp(process.cost + dearer) for process in head]) / mean(
        [math.exp(process.cost) for process in base]
    )
    return HabitVerdict(_word_beyond(ratio, DIFFERENT_FROM), _took_s(base, head))


def best_of_three_times_5_s(draw: Draw, dearer: float, control_s: float) -> HabitVerdict:
    """Compare one process a side: after 5 s of warm-up, the best of three windows of 5 s."""
    base, head = draw(2)
    ratio = math.exp(head.early + dearer - base.early)
    return HabitVerdict(_word_beyond(ratio, DIFFERENT_FROM), base.early_s + head.early_s)


def hyperfine(draw: Draw, dearer: float, control_s: float) -> HabitVerdict:
    """Compare ten runs of one side and ten of the other: hyperfine's `1.05 ± 0.03 times faster` must not include 1."""
    base, head = _in_one_order(draw, RUNS_REPEATED)
    sides = [
        [math.exp(process.cost) for process in base],
        [math.exp(process.cost + dearer) for process in head],
    ]
    means = [mean(side) for side in sides]
    ratio = means[1] / means[0]
    half_width = ratio * math.sqrt(sum(variance(side) / mean(side) ** 2 for side in sides))
    word: Word = "slower" if ratio - half_width > 1 else "faster" if ratio + half_width < 1 else ""
    return HabitVerdict(word, _took_s(base, head))


def benchstat(draw: Draw, dearer: float, control_s: float) -> HabitVerdict:
    """Compare ten runs of one side and ten of the other by Mann and Whitney's U at 5 %, and by their medians."""
    base, head = _in_one_order(draw, RUNS_REPEATED)
    costs = [process.cost for process in base], [process.cost + dearer for process in head]
    p = float(mannwhitneyu(*costs).pvalue)
    step = float(np.median(costs[1]) - np.median(costs[0]))
    word: Word = "" if p >= BENCHSTAT_LEVEL or step == 0 else "slower" if step > 0 else "faster"
    return HabitVerdict(word, _took_s(base, head))


def threshold(draw: Draw, dearer: float, control_s: float) -> HabitVerdict:
    """Compare one run with the last value."""
    last_run, new_run = draw(2)
    ratio = math.exp(new_run.cost + dearer - last_run.cost)
    # The last value was measured for the commit before: only the new run takes time.
    return HabitVerdict("slower" if ratio > 1 + THRESHOLD else "", new_run.took_s)


def run(draw: Draw, dearer: float, control_s: float) -> HabitVerdict:
    """Decide the order of two subjects of a class as `./bench run` does; its control takes time as well."""
    word, blocks, took_s = _until_decided(draw, dearer, LOOKS_AT_BLOCKS, LEVELS_AT_BLOCKS[LOOKS_AT_BLOCKS[-1]])
    # Three trials of the control: the one that is thrown away, the first and the last.
    controls = 3 + sum(after < blocks for after in CONTROL_AFTER)
    return HabitVerdict(word, took_s + controls * control_s)


def compared(draw: Draw, dearer: float, control_s: float) -> HabitVerdict:
    """Decide as `./bench compare` does with time enough: one side after the other, until the question is decided."""
    word, _, took_s = _until_decided(draw, dearer, LOOKS, LEVEL_OF_LOOKS)
    return HabitVerdict(word, took_s)


def compared_in_20_min(draw: Draw, dearer: float, control_s: float) -> HabitVerdict:
    """Decide as `./bench compare` does without options: with the looks that its default budget leaves time for."""
    processes = draw(2 * LOOKS[-1])
    affordable_pairs = int((BUDGET_S - control_s) / (2 * mean([process.took_s for process in processes])))
    pairs = min(max(affordable_pairs, LOOKS[0]), LOOKS[-1])
    looks = (*(look for look in LOOKS if look < pairs), pairs)
    level = LEVELS_OF_LOOKS[LOOKS[len(looks) - 1]]
    word, _, took_s = _until_decided(lambda count: processes[:count], dearer, looks, level)
    return HabitVerdict(word, took_s + control_s)


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
"""Shares by which the second side is dearer; for a share of 0 every word is wrong."""


@dataclass(frozen=True)
class Measured:
    """The results of one habit by each share of DEARER.

    `said` is the share of jobs that the habit called slower (for a share of 0: slower or faster), `took_s` the mean of
    the seconds that it took.
    """

    habit: str
    said: Mapping[float, float]
    took_s: Mapping[float, float]


def measured(groups: Sequence[Sequence[Process]], control_s: float, jobs: int, seed: int) -> list[Measured]:
    """Measure every habit on `jobs` draws for each share; a group has the processes of one subject in one session.

    Processes are drawn one by one from all groups: their figures are deviations, and whole groups would cancel out.
    """
    results = []
    for place, (name, habit) in enumerate(HABITS.items()):
        said_shares, took_s = {}, {}
        for index, share in enumerate(DEARER):
            draw = np.random.default_rng((seed, place, index))
            verdicts = [habit(_draw_from(draw, groups), math.log1p(share), control_s) for _ in range(jobs)]
            hits = [verdict.word == "slower" if share else verdict.word != "" for verdict in verdicts]
            said_shares[share], took_s[share] = (
                sum(hits) / jobs,
                mean([verdict.took_s for verdict in verdicts]),
            )
        results.append(Measured(name, said_shares, took_s))
    return results


def _draw_from(draw: np.random.Generator, groups: Sequence[Sequence[Process]]) -> Draw:
    processes = [process for group in groups for process in group]

    def draw_processes(count: int) -> Sequence[Process]:
        return [processes[place] for place in draw.integers(len(processes), size=count)]

    return draw_processes


def _in_one_order(draw: Draw, count: int) -> tuple[Sequence[Process], Sequence[Process]]:
    processes = draw(2 * count)
    return processes[:count], processes[count:]


def _took_s(*sides: Sequence[Process]) -> float:
    return sum(process.took_s for side in sides for process in side)


def _word_beyond(ratio: float, share: float) -> Word:
    return "slower" if ratio > 1 + share else "faster" if 1 / ratio > 1 + share else ""


def _until_decided(draw: Draw, dearer: float, looks: Sequence[int], level: float) -> tuple[Word, int, float]:
    """Return the word of the first look that decides (empty if none does), its pairs, and the seconds of the pairs."""
    processes = draw(2 * looks[-1])
    for pairs in looks:
        word = _decision(processes[: 2 * pairs], dearer, level)
        if word is not None:
            break
    return word or "", pairs, sum(process.took_s for process in processes[: 2 * pairs])


def _decision(processes: Sequence[Process], dearer: float, level: float) -> Word | None:
    """Return the word of both engines of this program on pairs of processes in ABBA order; None while undecided.

    The word is empty where the sides are equivalent.
    """
    sides: tuple[list[Process], list[Process]] = [], []
    for place in range(0, len(processes), 2):
        first = place // 2 % 2
        sides[first].append(processes[place])
        sides[1 - first].append(processes[place + 1])
    base, head = sides
    comparison = compare(
        [base_process.cost - head_process.cost - dearer for base_process, head_process in zip(base, head, strict=True)],
        level,
    )
    return None if comparison.verdict == "inconclusive" else _claimed_word(comparison, base, head)


def _claimed_word(comparison: PairedComparison, base: Sequence[Process], head: Sequence[Process]) -> Word | None:
    drifts = [drift([process.seconds for process in side], "lower") for side in (head, base)]
    word = pair_of(comparison, "lower", *drifts).verdict
    if word == "inconclusive":
        return None
    return "" if word == "equivalent" else word
