"""PELT: against the exact search over all segmentations, and on series whose steps are known."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plumbline.verdicts.stats.steady import noise_sd, segments


def cost(values: list[float], cuts: list[tuple[int, int]], penalty: float) -> float:
    total = 0.0
    for start, end in cuts:
        centre = sum(values[start:end]) / (end - start)
        total += sum((value - centre) ** 2 for value in values[start:end]) + penalty
    return total


def exact(values: list[float], penalty: float) -> float:
    """The least cost of any segmentation, without pruning."""
    best = [0.0]
    for end in range(1, len(values) + 1):
        best.append(min(best[start] + cost(values, [(start, end)], penalty) for start in range(end)))
    return best[-1]


@settings(deadline=None)
@given(st.lists(st.floats(50, 150), min_size=1, max_size=25), st.floats(0.5, 500))
def test_no_segmentation_is_cheaper(values: list[float], penalty: float) -> None:
    found = segments(values, penalty, 1.0)
    assert [start for start, _ in found] == [0, *(end for _, end in found[:-1])]
    assert found[-1][1] == len(values)
    assert cost(values, found, penalty) == pytest.approx(exact(values, penalty), rel=1e-6, abs=1e-6)


def test_finds_the_steps_where_they_are() -> None:
    draw = random.Random(1)
    levels = [100.0] * 40 + [104.0] * 30 + [97.0] * 50
    values = [level + draw.gauss(0, 1) for level in levels]
    assert segments(values, 3 * math.log(120), noise_sd(values)) == [(0, 40), (40, 70), (70, 120)]


def test_flat_noise_is_one_segment() -> None:
    draw = random.Random(2)
    cut = 0
    for _ in range(100):
        values = [draw.gauss(100, 1) for _ in range(120)]
        cut += len(segments(values, 3 * math.log(120), noise_sd(values))) > 1
    assert cut <= 5


def test_the_noise_is_not_taken_for_the_step() -> None:
    draw = random.Random(3)
    values = [draw.gauss(100 if second < 500 else 200, 2) for second in range(1000)]
    assert noise_sd(values) == pytest.approx(2, rel=0.1)


def test_constant_and_empty_series() -> None:
    assert segments([7.0] * 10, 5.0, 0.0) == [(0, 10)]
    assert segments([0.0] * 10, 5.0, 0.0) == [(0, 10)]
    assert segments([], 5.0, 1.0) == []
