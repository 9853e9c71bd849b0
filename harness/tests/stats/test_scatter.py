"""Scatter without who and when; intervals of shares."""

from __future__ import annotations

import math
import random

import pytest

from plumbline.verdicts.stats.interval import share_interval
from plumbline.verdicts.stats.places import NO_SCATTER, pooled, scatter, scatter_of_one


def test_what_subjects_and_blocks_differ_by_is_no_scatter() -> None:
    assert scatter([[0.0, 1.0, 5.0], [2.0, 3.0, 7.0], [1.0, 2.0, 6.0]]).squares == pytest.approx(0, abs=1e-20)


def test_it_estimates_the_variance_of_one_trial() -> None:
    draw = random.Random(20261121)
    sessions = [
        scatter([[subject + block + draw.gauss(0, 0.02) for subject in range(3)] for block in range(5)])
        for _ in range(300)
    ]
    whole = pooled(sessions)
    assert whole.degrees == 300 * 8
    # The standard error of a standard deviation with 2,400 degrees of freedom is 1.4 % of it; 3.3 of those.
    assert math.sqrt(whole.squares / whole.degrees) == pytest.approx(0.02, rel=0.048)


def test_of_one_subject_pairs_in_a_row_keep_a_drift_out() -> None:
    draw = random.Random(20261121)
    whole = pooled([scatter_of_one([0.001 * trial + draw.gauss(0, 0.02) for trial in range(12)]) for _ in range(400)])
    assert whole.degrees == 400 * 6
    assert math.sqrt(whole.squares / whole.degrees) == pytest.approx(0.02, rel=0.048)


def test_too_few_say_nothing() -> None:
    assert scatter([]) == scatter([[1.0, 2.0]]) == scatter([[1.0], [2.0]]) == NO_SCATTER
    assert scatter_of_one([1.0]) == NO_SCATTER


def test_shares_as_in_the_tables() -> None:
    # 0 of 10 and 1 of 20, 95 % (Clopper and Pearson).
    low, high = share_interval(0, 10)
    assert low == 0.0 and high == pytest.approx(0.3085, abs=1e-4)
    assert share_interval(1, 20) == pytest.approx((0.00127, 0.24873), abs=1e-5)
    assert share_interval(7, 7)[1] == 1.0


@pytest.mark.parametrize(("happened", "tries"), [(0, 0), (2, 1), (-1, 3)])
def test_what_is_no_share(happened: int, tries: int) -> None:
    with pytest.raises(ValueError, match="is no share"):
        share_interval(happened, tries)
