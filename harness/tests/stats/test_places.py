"""Effects of place and drift: found where they are, at their size, and not where they aren't."""

from __future__ import annotations

import random

import pytest

from plumbline.verdicts.stats.places import drift, mean_places, place_effect


def session(draw: random.Random, blocks: int, subjects: int, step: float = 0.0, slope: float = 0.0):  # type: ignore[no-untyped-def]
    places = [draw.sample(range(1, subjects + 1), subjects) for _ in range(blocks)]
    values = [
        [subject + step * row[subject] + slope * block + draw.gauss(0, 0.01) for subject in range(subjects)]
        for block, row in enumerate(places)
    ]
    return values, places


@pytest.mark.parametrize(("blocks", "subjects"), [(8, 2), (6, 3), (5, 9)])
def test_false_alarms_are_as_often_as_the_level_says(blocks: int, subjects: int) -> None:
    draw = random.Random(20261121)
    effects = [place_effect(*session(draw, blocks, subjects)) for _ in range(2000)]
    valid = [effect for effect in effects if effect is not None]
    # 2,000 times 1 %: between 8 and 36 in 999 of 1,000.
    assert 8 <= sum(effect.p < 0.01 for effect in valid) <= 36
    drifts = [drift(session(draw, blocks, subjects)[0]) for _ in range(2000)]
    assert 8 <= sum(effect is not None and effect.p < 0.01 for effect in drifts) <= 36


def test_an_effect_is_measured_whatever_the_subjects_are() -> None:
    values, places = session(random.Random(1), 40, 3, step=0.02)
    found = place_effect(values, places)
    assert found is not None and found.p < 1e-6
    assert found.step == pytest.approx(0.02, abs=0.004)


def test_a_drift_is_measured_and_is_no_effect_of_place() -> None:
    values, places = session(random.Random(2), 20, 3, slope=0.01)
    found, place = drift(values), place_effect(values, places)
    assert found is not None and found.p < 1e-6 and found.step == pytest.approx(0.01, abs=0.002)
    assert place is not None and place.p > 0.01


def test_without_any_noise() -> None:
    places = [[1, 2], [2, 1], [1, 2], [2, 1]]
    found = place_effect([[0.0, 5.5], [0.5, 5.0], [0.0, 5.5], [0.5, 5.0]], places)
    assert found is not None and found.step == pytest.approx(0.5) and found.p < 1e-6
    level = place_effect([[1.0, 2.0]] * 4, places)
    assert level is not None and (level.step, level.p) == (0.0, 1.0)


@pytest.mark.parametrize(
    ("values", "places"),
    [
        ([], []),
        ([[1.0, 2.0]], [[1, 2]]),
        ([[1.0], [2.0], [3.0]], [[1], [1], [1]]),
        ([[1.0, 2.0]] * 2, [[1, 2], [2, 1]]),
        ([[1.0, 2.1], [1.1, 2.2], [1.3, 2.0]], [[1, 2]] * 3),
    ],
)
def test_what_can_not_be_told_is_none(values: list[list[float]], places: list[list[float]]) -> None:
    assert place_effect(values, places) is None


def test_short_sessions_have_no_drift() -> None:
    assert drift([[1.0], [2.0]]) is None


def test_abba_gives_both_sides_the_same_mean_place() -> None:
    assert mean_places([[1, 2], [2, 1]]) == [1.5, 1.5]
