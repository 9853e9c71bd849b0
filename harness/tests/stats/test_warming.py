"""When a warm-up is over: it waits for a fall that can be seen, and for noise to let one see."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence

import pytest

from plumbline.verdicts.stats.drift import LAB_LIMIT, LEAST_S, gain_of

CYCLE, LEAST, MOST = 5, 15, 60


def flat(second: int) -> float:
    return 1.0


def settling(second: int) -> float:
    """A cost of which four fifths is gone after some fifteen seconds."""
    return 1 + 4 * math.exp(-second / 3)


def falling(second: int) -> float:
    """A cost that still falls by a quarter in each half of the warm-up."""
    return math.pow(second + 1.0, -0.4)


def ended(curve: Callable[[int], float], sd: float, seed: int) -> int:
    """The second at which a warm-up of that curve ends, with noise in which neighbours are alike, and bursts."""
    draw = random.Random(seed)
    values: list[float] = []
    noise = 0.0
    for second in range(MOST):
        noise = 0.3 * noise + draw.gauss(0, sd)
        burst = draw.gauss(0, 3 * sd) if draw.random() < 0.05 else 0.0
        values.append(curve(second) * math.exp(noise + burst))
    for seconds in range(LEAST, MOST, CYCLE):
        gain = gain_of(values[:seconds], "lower")
        if gain is not None and gain.is_over:
            return seconds
    return MOST


def ends(curve: Callable[[int], float], sd: float) -> Sequence[int]:
    return sorted(ended(curve, sd, seed) for seed in range(100))


@pytest.mark.parametrize("sd", [0.01, 0.04])
def test_what_stands_still_is_not_waited_for(sd: float) -> None:
    assert ends(flat, sd)[90] <= 25


@pytest.mark.parametrize("sd", [0.01, 0.04, 0.08])
def test_what_settles_is_measured_once_it_has(sd: float) -> None:
    found = ends(settling, sd)
    # The gain left after the end, in 95 of 100: less than what is called a fall.
    assert 1 - 1 / settling(found[5]) < LAB_LIMIT and found[50] <= 35


@pytest.mark.parametrize("sd", [0.01, 0.04])
def test_what_still_falls_is_waited_for_to_the_cap(sd: float) -> None:
    assert ends(falling, sd)[5] == MOST


def test_noise_that_hides_everything_proves_nothing() -> None:
    assert ends(flat, 0.4)[50] == MOST


def test_too_few_seconds_say_nothing() -> None:
    assert gain_of([1.0] * (LEAST_S - 1), "lower") is None
    found = gain_of([1.0] * LEAST_S, "lower")
    assert found is not None and found.is_over and found.gain == pytest.approx(0.0)


def test_what_gets_worse_is_no_gain() -> None:
    rising = [1.0 + 0.02 * second for second in range(20)]
    gains = gain_of(rising, "lower"), gain_of(rising, "higher")
    assert [gain is not None and gain.goes_on for gain in gains] == [False, True]
