"""Steadiness: hand-made series, and how often the rule is wrong, by simulation."""

from __future__ import annotations

import math
import random

import pytest

from plumbline.verdicts.stats.steady import LEAST_S, SteadyPart, filtered, trend_share
from plumbline.verdicts.stats.steady import steadiness as steady_within

# A full run has to show so many seconds, within 2 %.
FULL_RUN_S = 60
WITHIN = 0.02


def steadiness(rates: list[float], within: float = WITHIN, least_s: int = FULL_RUN_S) -> SteadyPart:
    return steady_within(rates, within, least_s)


def noisy(levels: list[float], cv: float = 0.01, seed: int = 1) -> list[float]:
    draw = random.Random(seed)
    return [level * (1 + draw.gauss(0, cv)) for level in levels]


def test_flat_is_steady_from_its_first_second() -> None:
    found = steadiness(noisy([1000.0] * 90))
    assert (found.from_s, found.steady_s, found.arrived_s) == (0, 90, 0)


def test_steady_after_a_step() -> None:
    found = steadiness(noisy([600.0] * 20 + [1000.0] * 80))
    assert found.from_s == 20
    assert found.arrived_s == 20


def test_a_step_too_late_is_not_steady() -> None:
    rates = noisy([1000.0] * 60 + [1050.0] * 40)
    found = steadiness(rates)
    assert found.from_s is None
    assert found.steady_s == 40
    assert steady_within(rates, WITHIN).from_s == 60
    assert steady_within(rates, 0.15).from_s == 0


def test_a_slow_rise_is_not_steady() -> None:
    found = steadiness(noisy([1000.0 * (1 + 0.08 * second / 120) for second in range(120)], cv=0.002))
    assert found.from_s is None


def test_one_odd_second_is_none() -> None:
    rates = noisy([1000.0] * 90)
    rates[45] = 10.0
    assert steadiness(rates).from_s == 0


def test_the_least_is_the_callers() -> None:
    rates = noisy([1000.0] * 30, cv=0.002)
    assert steadiness(rates).from_s is None
    assert steadiness(rates, least_s=LEAST_S).from_s == 0


@pytest.mark.parametrize("rates", [[], [5.0], [5.0, 5.0], [0.0] * 70])
def test_short_and_empty_series_get_an_answer(rates: list[float]) -> None:
    found = steadiness(rates)
    assert (found.from_s is None) == (len(rates) < FULL_RUN_S)
    assert (found.arrived_s is None) == (not rates)


def test_filter_and_trend() -> None:
    assert filtered([1, 9, 2, 3, 4]) == [1, 2, 3, 3, 4]
    assert trend_share([99.0, 100.0, 101.0]) == pytest.approx(0.02)
    assert trend_share([5.0, 5.0]) == 0


def warming_up(draw: random.Random, seconds: int) -> list[float]:
    """The true rate of a trial: an exponential approach to 1, and in every third trial a late step of 2 to 6 %."""
    constant_s = math.exp(draw.gauss(math.log(9), 0.55))
    depth = draw.uniform(0.3, 0.8)
    late_s = draw.uniform(15, 60) if draw.random() < 0.35 else 0.0
    size = draw.uniform(0.02, 0.06)
    return [1 - depth * math.exp(-second / constant_s) - (size if second < late_s else 0) for second in range(seconds)]


def test_a_fixed_warm_up_leaves_trials_off_and_this_rule_does_not() -> None:
    """30 s of warm-up leave 47 % of trials more than 1 % off, 120 s 3 %, the rule none."""
    draw = random.Random(5)
    trials = 200
    off = {"30 s": 0, "120 s": 0, "rule": 0}
    for _ in range(trials):
        true = warming_up(draw, 400)
        rates = [rate * (1 + draw.gauss(0, 0.005)) for rate in true]

        def is_off(start: int, end: int, true: list[float] = true) -> bool:
            return abs(sum(true[start:end]) / (end - start) - 1) > 0.01

        off["30 s"] += is_off(30, 90)
        off["120 s"] += is_off(120, 180)
        for end in range(90, 401, 30):
            found = steadiness(rates[:end])
            if found.from_s is not None:
                off["rule"] += is_off(found.from_s, end)
                break
        else:
            pytest.fail("a trial that settles was never called steady")
    assert off["30 s"] / trials > 0.3
    assert off["120 s"] / trials < 0.05
    assert off["rule"] <= 1
