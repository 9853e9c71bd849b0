"""The t interval against a textbook's numbers."""

from __future__ import annotations

import random

import pytest

from plumbline.verdicts.stats.interval import quantile, stratified_interval, t_interval, two_sided_p


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


def test_levels_of_strata_are_in_the_mean_and_not_in_the_interval() -> None:
    # Deviations within: -1, 0, 1 and -1, 1; their squares make 4 with 5 - 2 degrees of freedom. t(3, 0.975) = 3.1824
    interval = stratified_interval([[1, 2, 3], [99, 101]])
    assert interval.mean == pytest.approx(206 / 5)
    assert interval.low is not None and interval.high is not None
    assert interval.high - interval.mean == pytest.approx(3.1824463 * (4 / 3 / 5) ** 0.5)
    assert interval.mean - interval.low == pytest.approx(interval.high - interval.mean)


def test_strata_of_one_value_each_have_no_interval() -> None:
    interval = stratified_interval([[1], [3], []])
    assert (interval.mean, interval.low, interval.high) == (2, None, None)


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
