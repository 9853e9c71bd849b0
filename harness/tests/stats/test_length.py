"""How long to measure each process: from the scatter, and from the time that a process costs before it is measured."""

from __future__ import annotations

import math
import random

import pytest

from plumbline.verdicts.stats.length import Levels, levels_of

BEFORE_S = 40.0


def variance_of_a_minute(levels: Levels, length_s: float) -> float:
    """The variance of the mean over trials that take a minute in all."""
    return (levels.processes**2 + levels.seconds**2 / length_s) * (BEFORE_S + length_s) / 60


@pytest.mark.parametrize("levels", [Levels(0.05, 0.1), Levels(0.01, 0.1), Levels(0.1, 0.02)])
def test_no_other_length_decides_more_in_the_same_time(levels: Levels) -> None:
    best_s = levels.best_s(BEFORE_S)
    assert best_s is not None
    least = variance_of_a_minute(levels, best_s)
    assert all(variance_of_a_minute(levels, best_s * times) > least for times in (0.5, 0.9, 1.1, 2.0))


def test_both_levels_are_found_again() -> None:
    draw = random.Random(4)
    length_s, count = 20, 200
    subjects, seconds_cv = [], []
    for level in (200.0, 900.0):
        values = []
        for _ in range(count):
            process = level * math.exp(draw.gauss(0, 0.05))
            seconds = [process * (1 + draw.gauss(0, 0.1)) for _ in range(length_s)]
            values.append(sum(seconds) / length_s)
            seconds_cv.append(0.1)
        subjects.append(values)
    found = levels_of(subjects, seconds_cv, length_s)
    assert found is not None
    assert found.processes == pytest.approx(0.05, rel=0.15) and found.seconds == pytest.approx(0.1)


def test_processes_that_are_alike_need_no_more_of_them() -> None:
    found = levels_of([[100.0, 100.0, 100.0]], [0.1], 20.0)
    assert found is not None and found.processes == 0.0 and found.best_s(BEFORE_S) is None


def test_one_trial_of_each_says_nothing() -> None:
    assert levels_of([[100.0], [90.0]], [0.1, 0.1], 20.0) is None
