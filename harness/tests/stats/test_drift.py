"""The drift of a figure: hand-made curves, what no rearrangement may change, and its promises in small simulations."""

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
    remaining, noise, values = math.exp(-2.0), draw.gauss(0, cv), []
    for second in range(seconds):
        noise = 0.5 * noise + math.sqrt(0.75) * draw.gauss(0, cv)
        course = (1 - math.exp(-2.0 * second / (seconds - 1))) / (1 - remaining)
        values.append(200 * math.exp(math.log1p(-fall) * course + noise))
    return values


def drift_of(processes: list[list[float]], better: Better = "lower") -> Drift:
    result = drift(processes, better)
    assert result is not None
    return result


def test_a_straight_fall_is_measured_exactly() -> None:
    falling = [1000 * math.exp(-0.05 * second / 39) for second in range(40)]
    result = drift_of([falling])
    assert result.estimate == pytest.approx(0.05, abs=0.002)
    assert result.changing
    assert result.still_on_its_way
    assert result.may_worsen == 0.0
    assert drift_of([falling], "higher").estimate == pytest.approx(-result.estimate)


def test_what_stands_still_is_steady_within_nothing() -> None:
    result = drift_of([[200.0] * 30] * 3)
    assert result.bound == pytest.approx(0.0, abs=1e-9)
    assert result.steady_within(LAB_LIMIT)
    assert (result.seconds, result.processes, result.degrees) == (30, 3, 14)


def test_a_cost_that_rises_is_no_warm_up_and_still_not_steady() -> None:
    rising = [[200 * math.exp(0.1 * second / 59) for second in range(60)]] * 2
    result = drift_of(rising)
    assert result.may_improve < 0.01
    assert result.may_worsen == pytest.approx(0.1, abs=0.01)
    assert not result.steady_within(0.2)


@pytest.mark.parametrize("processes", [[], [[200.0] * (LEAST_S - 1)], [[200.0] * 30, [200.0] * 3], [[0.0] * 30]])
def test_too_short_and_not_positive_have_no_drift(processes: list[list[float]]) -> None:
    assert drift(processes, "lower") is None


@given(costs, st.floats(0.01, 100))
def test_the_unit_changes_nothing(values: list[float], unit: float) -> None:
    plain, scaled = drift_of([values]), drift_of([[unit * value for value in values]])
    assert scaled.estimate == pytest.approx(plain.estimate, abs=1e-8)
    assert scaled.error == pytest.approx(plain.error, abs=1e-8)


@given(costs)
def test_a_rate_is_a_cost_upside_down(values: list[float]) -> None:
    of_costs, of_rates = drift_of([values]), drift_of([[1 / value for value in values]], "higher")
    assert (of_rates.estimate, of_rates.error) == pytest.approx((of_costs.estimate, of_costs.error), abs=1e-8)


@given(costs)
def test_backwards_the_drift_has_the_other_sign(values: list[float]) -> None:
    assert drift_of([values[::-1]]).estimate == pytest.approx(-drift_of([values]).estimate, abs=1e-8)


@given(costs, costs)
def test_the_level_of_a_process_is_not_its_drift(first: list[float], second: list[float]) -> None:
    result = drift_of([first, second])
    assert drift_of([first, [3 * value for value in second]]).bound == pytest.approx(result.bound, rel=1e-6, abs=1e-9)
    assert drift_of([second, first]).bound == pytest.approx(result.bound, rel=1e-6, abs=1e-9)


def test_one_wild_second_moves_little() -> None:
    values = curve(60, 0.0, 0.01, 1)
    wild = [*values[:50], 9 * values[50], *values[51:]]
    assert drift_of([wild]).estimate == pytest.approx(drift_of([values]).estimate, abs=0.01)


@pytest.mark.parametrize("cv", [0.01, 0.08])
def test_flat_curves_are_seldom_called_changing(cv: float) -> None:
    jobs = 400
    called_changing = sum(
        drift_of([curve(30, 0.0, cv, 3 * job + process) for process in range(3)]).changing for job in range(jobs)
    )
    # 1 % is promised; with 1 %, 12 of 400 come about once in 10,000 tries.
    assert called_changing <= 12


@pytest.mark.parametrize("cv", [0.01, 0.03, 0.08])
def test_the_bound_holds_a_fall_of_5_percent(cv: float) -> None:
    jobs = 400
    fall = -math.log1p(-0.05)
    covered = sum(
        drift_of([curve(45, 0.05, cv, 5000 + 3 * job + process) for process in range(3)]).may_improve >= 0.9 * fall
        for job in range(jobs)
    )
    # The line through a bent curve rises a little less than its ends do apart: hence nine tenths.
    assert covered >= 0.9 * jobs


def test_the_named_seconds_are_enough_for_most_that_stand_still() -> None:
    questions = answers = 0
    for job in range(60):
        short = drift_of([curve(30, 0.0, 0.08, 9000 + 3 * job + process) for process in range(3)])
        more_s = short.more_s(0.05)
        if short.steady_within(0.05) or more_s is None:
            continue
        questions += 1
        longer = [curve(30 + more_s, 0.0, 0.08, 20_000 + 3 * job + process) for process in range(3)]
        answers += drift_of(longer).steady_within(0.05)
    assert questions >= 20
    assert answers >= 0.5 * questions


def test_of_a_changing_curve_nobody_knows_how_long_it_takes() -> None:
    assert drift_of([curve(60, 0.3, 0.01, 1)]).more_s(0.02) is None


def still(improves: float = 0.0, error: float = 0.0, processes: int = 3) -> Drift:
    return Drift(improves, error, 5 * processes - 1, 60, processes)


def test_an_order_is_claimed_when_no_drift_can_turn_it() -> None:
    claimed = order(0.10, 0.14, still(error=0.01), still(error=0.01), "lower")
    assert (claimed.better, claimed.why, claimed.words) == ("other", "claimed", "claimed")
    assert order(0.10, 0.14, still(error=0.01), still(error=0.01), "higher").better == "one"


def test_what_falls_can_turn_an_order_round() -> None:
    falling = still(0.12, 0.005)
    assert order(0.05, 0.08, falling, still(), "lower").why == "still changing"
    # The cost of the leading subject falls: that only makes its lead greater.
    assert order(0.05, 0.08, still(), falling, "lower").better == "other"


def test_what_nobody_can_exclude_says_how_much_longer() -> None:
    unsure = order(0.05, 0.08, still(error=0.05), still(error=0.05), "lower")
    assert unsure.better is None
    assert unsure.more_s is not None
    assert unsure.words == (
        f"can't tell yet, {unsure.more_s} s more of each process would do, or {unsure.more_processes} more processes"
    )
    # As many seconds in all: each of the three processes has 60.
    assert unsure.more_processes == math.ceil(3 * unsure.more_s / 60)
    assert order(0.05, 0.08, None, still(), "lower").words == "can't tell yet"


def test_chance_is_asked_before_drift() -> None:
    assert order(-0.01, 0.08, still(0.5, 0.01), still(), "lower").words == "not told apart from chance"


@given(
    st.floats(-1, 1), st.floats(0, 1), st.floats(-0.5, 0.5), st.floats(0, 0.3), st.floats(-0.5, 0.5), st.floats(0, 0.3)
)  # fmt: skip
def test_swapping_the_two_swaps_the_answer(
    low: float, width: float, first: float, first_error: float, second: float, second_error: float
) -> None:
    first_drift, second_drift = still(first, first_error), still(second, second_error)
    answer, swapped = (
        order(low, low + width, first_drift, second_drift, "lower"),
        order(-low - width, -low, second_drift, first_drift, "lower"),
    )
    assert (answer.low, answer.high, answer.why, answer.more_s) == (
        -swapped.high,
        -swapped.low,
        swapped.why,
        swapped.more_s,
    )
    assert {"one": "other", "other": "one", None: None}[answer.better] == swapped.better
