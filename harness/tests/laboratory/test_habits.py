"""Habits on made-up processes whose answer is known: what each habit says, and how often."""

from __future__ import annotations

import math
import random
from dataclasses import replace

import pytest

from laboratory.promises import habits
from laboratory.promises.habits import (
    DEARER,
    HABITS,
    Process,
    measured,
)
from plumbline.model.plan import CONTROL_AFTER
from plumbline.verdicts.stats.interim import LOOKS, LOOKS_AT_BLOCKS

TOOK_S, EARLY_S, CONTROL_S = 90.0, 30.0, 60.0


OURS = [name for name in HABITS if "./bench" in name]


def process(cost: float, draw: random.Random, early: float = 0.0) -> Process:
    seconds = tuple(100 * math.exp(draw.gauss(0, 0.01)) for _ in range(20))
    return Process(cost, early, seconds, TOOK_S, EARLY_S)


def group(scatter: float, count: int = 40, seed: int = 1) -> list[Process]:
    draw = random.Random(seed)
    return [process(draw.gauss(0, scatter), draw, draw.gauss(0, 3 * scatter)) for _ in range(count)]


@pytest.mark.parametrize("name", HABITS)
def test_far_apart_everybody_is_right(name: str) -> None:
    processes = iter(group(0.001))

    def draw(count: int) -> list[Process]:
        return [next(processes) for _ in range(count)] if count <= 20 else group(0.001, count)

    assert HABITS[name](draw, math.log(1.10), CONTROL_S).word == "slower"


@pytest.mark.parametrize("name", HABITS)
def test_alike_to_the_last_digit_nobody_says_anything(name: str) -> None:
    same = [process(0.0, random.Random(3)) for _ in range(60)]
    assert HABITS[name](lambda count: same[:count], 0.0, CONTROL_S).word == ""


def test_time_is_that_of_the_processes_used() -> None:
    processes = group(0.001, 60)
    took_s = {
        name: habit(lambda count: processes[:count], math.log(1.10), CONTROL_S).took_s for name, habit in HABITS.items()
    }
    first = LOOKS_AT_BLOCKS[0]
    controls = 3 + sum(after < first for after in CONTROL_AFTER)
    assert list(took_s.values()) == [
        6 * TOOK_S, 2 * EARLY_S, 20 * TOOK_S, 20 * TOOK_S, TOOK_S,
        2 * first * TOOK_S + controls * CONTROL_S, 2 * LOOKS[0] * TOOK_S, 2 * LOOKS[0] * TOOK_S + CONTROL_S,
    ]  # fmt: skip


def test_a_drift_of_the_host_misleads_who_measures_one_side_after_the_other() -> None:
    # The cost rises by a tenth from the first to the last of 52 processes, in a straight line; the sides are equal.
    drifting = [process(0.1 * place / 52, random.Random(place)) for place in range(52)]
    words = {name: habit(lambda count: drifting[:count], 0.0, CONTROL_S).word for name, habit in HABITS.items()}
    assert words["benchstat on ten and ten (Mann-Whitney, 5 %)"] == "slower"
    assert words["ten runs each in one order, read as hyperfine's"] == "slower"
    assert {words[name] for name in OURS} == {""}


def test_what_may_still_drift_is_not_claimed() -> None:
    def falling(place: int) -> Process:
        draw = random.Random(place)
        seconds = tuple(100 * math.exp(-0.02 * second + draw.gauss(0, 0.005)) for second in range(20))
        return Process(draw.gauss(0, 0.005), 0.0, seconds, TOOK_S, EARLY_S)

    processes = [falling(place) for place in range(60)]
    dearer = math.log(1.10)
    assert HABITS["benchstat on ten and ten (Mann-Whitney, 5 %)"](lambda count: processes[:count], dearer, 0.0).word
    for name in OURS:
        assert HABITS[name](lambda count: processes[:count], dearer, 0.0).word == ""


def test_equal_sides_are_a_fair_draw_of_small_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each group is centred on its own mean, as a session's processes are: whole groups would have cancelled out."""
    groups = []
    for seed in range(11):
        processes = group(0.05, 4, seed)
        middle = sum(drawn.cost for drawn in processes) / 4
        groups.append([replace(drawn, cost=(drawn.cost - middle) * math.sqrt(4 / 3)) for drawn in processes])
    monkeypatch.setattr(habits, "HABITS", {"benchstat": habits.benchstat})
    (result,) = measured(groups, CONTROL_S, 1000, 1)
    assert 0.02 < result.said[0.0] < 0.08


@pytest.mark.slow
def test_shares_follow_from_the_noise() -> None:
    results = {
        result.habit: result for result in measured([group(0.02, seed=seed) for seed in range(3)], CONTROL_S, 60, 1)
    }
    assert all(result.said.keys() == set(DEARER) for result in results.values())
    mean, ours = results["mean of three runs, 1 % apart"], results["`./bench compare`, with time enough"]
    assert mean.said[0.0] > 0.3 and ours.said[0.0] < 0.1
    assert ours.said[0.10] > 0.9
    assert ours.took_s[0.10] < ours.took_s[0.02]
    repeated = measured([group(0.02, seed=seed) for seed in range(3)], CONTROL_S, 60, 1)
    assert {result.habit: result for result in repeated} == results
