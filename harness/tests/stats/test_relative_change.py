"""One trial beside others: the bounds hold as often as they say."""

from __future__ import annotations

import random

import pytest

from plumbline.verdicts.stats.interval import LEVEL, relative_change


def test_a_change_without_noise_is_exact() -> None:
    found = relative_change([100.0, 100.0], [75.0])
    assert (found.value, found.low, found.high) == pytest.approx((-0.25, -0.25, -0.25))


def test_each_bound_is_passed_as_often_as_it_says() -> None:
    draw, jobs = random.Random(1), 4000
    too_high = too_low = 0
    for _ in range(jobs):
        found = relative_change([draw.lognormvariate(7, 0.02) for _ in range(5)], [draw.lognormvariate(7, 0.02)])
        too_high += found.high < 0
        too_low += found.low > 0
    assert too_high / jobs == pytest.approx(LEVEL, abs=0.012)
    assert too_low / jobs == pytest.approx(LEVEL, abs=0.012)


@pytest.mark.parametrize(("usual", "other"), [([], [1.0]), ([1.0], [1.0]), ([1.0, 2.0], [])])
def test_too_few_values_are_refused(usual: list[float], other: list[float]) -> None:
    with pytest.raises(ValueError, match="two usual values"):
        relative_change(usual, other)
