"""The drift of a figure: hand-made curves, what no rearrangement may change, and small versions of its promises."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.verdicts.stats.compare import Better
from plumbline.verdicts.stats.drift import LAB_LIMIT, LEAST_S, Drift, drift
from plumbline.verdicts.stats.ranking import order

costs = st.lists(st.floats(50, 5000), min_size=LEAST_S, max_size=40)


def curve(seconds: int, fall: float, cv: float, seed: int) -> list[float]:
    """A cost around 200 that falls by `fall` from end to end along an exponential, under noise with a memory."""
    draw = random.Random(seed)
    left, off, values = math.exp(-2.0), draw.gauss(0, cv), []
    for second in range(seconds):
        off = 0.5 * off + math.sqrt(0.75) * draw.gauss(0, cv)
        course = (1 - math.exp(-2.0 * second / (seconds - 1))) / (1 - left)
        values.append(200 * math.exp(math.log1p(-fall) * course + off))
    return values


def found(processes: list[list[float]], better: Better = "lower") -> Drift:
    result = drift(processes, better)
    assert result is not None
    return result


def test_a_straight_fall_is_measured_exactly() -> None:
    falling = [1000 * math.exp(-0.05 * second / 39) for second in range(40)]
    its = found([falling])
    assert its.estimate == pytest.approx(0.05, abs=0.002)
    assert its.changing
    assert its.still_on_its_way
    assert its.may_worsen == 0.0
    assert found([falling], "higher").estimate == pytest.approx(-its.estimate)


def test_what_stands_still_is_steady_within_nothing() -> None:
    its = found([[200.0] * 30] * 3)
    assert its.bound == pytest.approx(0.0, abs=1e-9)
    assert its.steady_within(LAB_LIMIT)
    assert (its.seconds, its.processes, its.degrees) == (30, 3, 14)


def test_a_cost_that_rises_is_no_warm_up_and_still_not_steady() -> None:
    rising = [[200 * math.exp(0.1 * second / 59) for second in range(60)]] * 2
    its = found(rising)
    assert its.may_improve < 0.01
    assert its.may_worsen == pytest.approx(0.1, abs=0.01)
    assert not its.steady_within(0.2)


@pytest.mark.parametrize("processes", [[], [[200.0] * (LEAST_S - 1)], [[200.0] * 30, [200.0] * 3], [[0.0] * 30]])
def test_too_short_and_not_positive_have_no_drift(processes: list[list[float]]) -> None:
    assert drift(processes, "lower") is None


@given(costs, st.floats(0.01, 100))
def test_the_unit_changes_nothing(values: list[float], unit: float) -> None:
    its, other = found([values]), found([[unit * value for value in values]])
    assert other.estimate == pytest.approx(its.estimate, abs=1e-8)
    assert other.error == pytest.approx(its.error, abs=1e-8)


@given(costs)
def test_a_rate_is_a_cost_upside_down(values: list[float]) -> None:
    its, other = found([values]), found([[1 / value for value in values]], "higher")
    assert (other.estimate, other.error) == pytest.approx((its.estimate, its.error), abs=1e-8)


@given(costs)
def test_backwards_the_drift_has_the_other_sign(values: list[float]) -> None:
    assert found([values[::-1]]).estimate == pytest.approx(-found([values]).estimate, abs=1e-8)


@given(costs, costs)
def test_the_level_of_a_process_is_not_its_drift(one: list[float], other: list[float]) -> None:
    its = found([one, other])
    assert found([one, [3 * value for value in other]]).bound == pytest.approx(its.bound, rel=1e-6, abs=1e-9)
    assert found([other, one]).bound == pytest.approx(its.bound, rel=1e-6, abs=1e-9)


def test_one_wild_second_moves_little() -> None:
    values = curve(60, 0.0, 0.01, 1)
    wild = [*values[:50], 9 * values[50], *values[51:]]
    assert found([wild]).estimate == pytest.approx(found([values]).estimate, abs=0.01)


@pytest.mark.parametrize("cv", [0.01, 0.08])
def test_flat_curves_are_seldom_called_changing(cv: float) -> None:
    jobs = 400
    called = sum(found([curve(30, 0.0, cv, 3 * job + process) for process in range(3)]).changing for job in range(jobs))
    # 1 % is promised; 12 of 400 come about once in 10,000 tries of that.
    assert called <= 12


@pytest.mark.parametrize("cv", [0.01, 0.03, 0.08])
def test_the_bound_holds_a_fall_of_5_percent(cv: float) -> None:
    jobs = 400
    fall = -math.log1p(-0.05)
    held = sum(
        found([curve(45, 0.05, cv, 5000 + 3 * job + process) for process in range(3)]).may_improve >= 0.9 * fall
        for job in range(jobs)
    )
    # The line through a bent curve rises a little less than its ends do apart: hence nine tenths.
    assert held >= 0.9 * jobs


def test_the_named_seconds_are_enough_for_most_that_stand_still() -> None:
    asked = answered = 0
    for job in range(60):
        its = found([curve(30, 0.0, 0.08, 9000 + 3 * job + process) for process in range(3)])
        more_s = its.more_s(0.05)
        if its.steady_within(0.05) or more_s is None:
            continue
        asked += 1
        longer = [curve(30 + more_s, 0.0, 0.08, 20_000 + 3 * job + process) for process in range(3)]
        answered += found(longer).steady_within(0.05)
    assert asked >= 20
    assert answered >= 0.5 * asked


def test_of_a_changing_curve_nobody_knows_how_long_it_takes() -> None:
    assert found([curve(60, 0.3, 0.01, 1)]).more_s(0.02) is None


def still(improves: float = 0.0, error: float = 0.0, processes: int = 3) -> Drift:
    return Drift(improves, error, 5 * processes - 1, 60, processes)


def test_an_order_is_claimed_when_no_drift_can_turn_it() -> None:
    claimed = order(0.10, 0.14, still(error=0.01), still(error=0.01), "lower")
    assert (claimed.better, claimed.why, claimed.words) == ("other", "claimed", "claimed")
    assert order(0.10, 0.14, still(error=0.01), still(error=0.01), "higher").better == "one"


def test_what_falls_can_turn_an_order_round() -> None:
    falling = still(0.12, 0.005)
    assert order(0.05, 0.08, falling, still(), "lower").why == "still changing"
    # The one that is ahead falls: that makes its lead greater only.
    assert order(0.05, 0.08, still(), falling, "lower").better == "other"


def test_what_nobody_can_exclude_says_how_much_longer() -> None:
    told = order(0.05, 0.08, still(error=0.05), still(error=0.05), "lower")
    assert told.better is None
    assert told.more_s is not None
    assert told.words == (
        f"can't tell yet, {told.more_s} s more of each process would do, or {told.more_processes} more processes"
    )
    # As many seconds in all: each of the three has 60.
    assert told.more_processes == math.ceil(3 * told.more_s / 60)
    assert order(0.05, 0.08, None, still(), "lower").words == "can't tell yet"


def test_chance_is_asked_before_drift() -> None:
    assert order(-0.01, 0.08, still(0.5, 0.01), still(), "lower").words == "not told apart from chance"


@given(
    st.floats(-1, 1), st.floats(0, 1), st.floats(-0.5, 0.5), st.floats(0, 0.3), st.floats(-0.5, 0.5), st.floats(0, 0.3)
)  # fmt: skip
def test_swapping_the_two_swaps_the_answer(
    low: float, width: float, first: float, first_error: float, second: float, second_error: float
) -> None:
    one, other = still(first, first_error), still(second, second_error)
    there, back = order(low, low + width, one, other, "lower"), order(-low - width, -low, other, one, "lower")
    assert (there.low, there.high, there.why, there.more_s) == (-back.high, -back.low, back.why, back.more_s)
    assert {"one": "other", "other": "one", None: None}[there.better] == back.better
