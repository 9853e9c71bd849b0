"""Change points: hand-made series, and what they promise, replayed night by night."""

from __future__ import annotations

import math
import random
from itertools import pairwise
from statistics import median

import pytest
from hypothesis import given
from hypothesis import strategies as st

from laboratory.promises.history import found_after, measure_history, night_by_night
from plumbline.verdicts.stats.changes import MAGNITUDE_LEAST, P_MAX, SEGMENT_LEAST, change_points


def noisy(draw: random.Random, levels: list[float], sd: float = 0.01) -> list[float]:
    return [math.log(level) + draw.gauss(0, sd) for level in levels]


def test_a_step_with_its_size_and_interval() -> None:
    found = change_points(noisy(random.Random(1), [100.0] * 60 + [104.0] * 40))
    assert [change.index for change in found] == [60]
    change = found[0]
    assert change.ratio == pytest.approx(1.04, abs=0.006)
    assert change.low < math.log(1.04) < change.high
    assert change.p < P_MAX
    assert change.difference == pytest.approx(change.after - change.before)


def test_steps_up_and_down_are_each_reported_once() -> None:
    draw = random.Random(2)
    false_alarms = 0
    for _ in range(50):
        found = change_points(noisy(draw, [100.0] * 70 + [106.0] * 45 + [100.0] * 60))
        assert {change.index for change in found} & set(range(68, 73))
        assert {change.index for change in found} & set(range(113, 118))
        false_alarms += len(found) > 2
    assert false_alarms <= 3


def test_small_steps_are_left_alone_however_sure() -> None:
    assert change_points(noisy(random.Random(3), [100.0] * 300 + [100.7] * 300, sd=0.002)) == ()


def test_one_odd_night_is_no_change() -> None:
    levels = [100.0] * 100
    levels[60] = 150.0
    assert change_points(noisy(random.Random(4), levels)) == ()


def test_short_constant_and_exact_series() -> None:
    assert change_points([]) == ()
    assert change_points([1.0] * 5) == ()
    assert change_points([1.0] * 500) == ()
    assert [change.index for change in change_points([0.0] * 10 + [0.1] * 10)] == [10]


def test_a_value_that_is_no_number_is_refused() -> None:
    with pytest.raises(ValueError, match="not finite"):
        change_points([0.0] * 10 + [math.nan])


@given(st.lists(st.floats(-1, 1), max_size=120))
def test_whatever_is_found_holds_what_it_says(logs: list[float]) -> None:
    found = change_points(logs)
    edges = [0, *(change.index for change in found), len(logs)]
    for change in found:
        assert change.p < P_MAX * 1.01
        assert math.expm1(abs(change.difference)) > MAGNITUDE_LEAST * 0.99
        assert change.low <= change.difference <= change.high
    if found:
        assert min(after - before for before, after in pairwise(edges)) >= SEGMENT_LEAST


@pytest.mark.slow
def test_flat_series_raise_few_candidates() -> None:
    """40 flat series of 250 nights, at a noise of 1 %, raise at most 10 candidates in all."""
    draw = random.Random(5)
    raised = sum(len(night_by_night(noisy(draw, [100.0] * 250), 6)) for _ in range(40))
    assert raised <= 10


@pytest.mark.slow
def test_a_step_of_two_percent_is_found_soon_and_where_it_is() -> None:
    """It is found after 5 nights at the median and within 10 in 90 %, and located within 5."""
    draw = random.Random(6)
    found: list[tuple[int, int]] = []
    for _ in range(300):
        start = draw.randrange(30, 120)
        size = draw.choice([1.02, 1 / 1.02])
        logs = noisy(draw, [100.0] * start + [100.0 * size] * 20)
        found.append(found_after(logs, start, size > 1) or (99, 99))
    assert median(delay for delay, _ in found) <= 5
    assert sum(delay <= 10 for delay, _ in found) >= 0.9 * len(found)
    assert sum(error <= 5 for _, error in found) >= 0.9 * len(found)


@pytest.mark.slow
def test_the_promises_of_history_are_kept_and_a_step_of_half_the_size_would_break_them() -> None:
    rows = list(measure_history(60, 7))
    assert len(rows) == 5 and all(row.kept for row in rows)
    # With twice the noise a step is worth half as much.
    noisier = {row.promise: row for row in measure_history(60, 7, 0.02, promised=False)}
    assert not all(row.low <= noisier[row.promise].value <= row.high for row in rows)
    # The promise is of independent nights.
    alarms = next(row.promise for row in rows if "false candidates" in row.promise)
    lingering = {row.promise: row for row in measure_history(60, 7, memory=0.5, promised=False)}
    assert lingering[alarms].value > 3 * next(row.high for row in rows if row.promise == alarms)
