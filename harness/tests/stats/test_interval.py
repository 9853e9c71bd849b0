"""The t interval against a textbook's numbers."""

from __future__ import annotations

import random

import pytest

from plumbline.stats.interval import quantile, t_interval, two_sided_p


def test_interval_of_five() -> None:
    # mean 3, s = 1.5811, t(4, 0.975) = 2.7764
    interval = t_interval([1, 2, 3, 4, 5])
    assert interval.mean == 3
    assert interval.low == pytest.approx(3 - 2.7764451 * 1.5811388 / 5**0.5)
    assert interval.high == pytest.approx(3 + 2.7764451 * 1.5811388 / 5**0.5)


def test_one_value_has_no_interval() -> None:
    interval = t_interval([7.5])
    assert (interval.mean, interval.low, interval.high) == (7.5, None, None)


def test_no_value_raises() -> None:
    with pytest.raises(ValueError, match="no values"):
        t_interval([])


def test_quantile_and_p_are_each_others_inverse() -> None:
    assert two_sided_p(4, quantile(4, 0.975)) == pytest.approx(0.05)


def test_covers_as_it_says() -> None:
    draw = random.Random(1)
    covered = 0
    for _ in range(4000):
        interval = t_interval([draw.gauss(100, 3) for _ in range(5)])
        assert interval.low is not None and interval.high is not None
        covered += interval.low <= 100 <= interval.high
    assert 0.94 <= covered / 4000 <= 0.96
