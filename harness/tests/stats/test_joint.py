"""Questions of one family: rarely wrong together, found when they are there, stopped when decided."""

from __future__ import annotations

import random

import pytest

from plumbline.verdicts.stats.compare import PairedComparison
from plumbline.verdicts.stats.families import ask_once, follow_jointly, holm
from plumbline.verdicts.stats.interim import LEVEL_OF_LOOKS, LOOKS


def noise(draw: random.Random, shift: float = 0.0, count: int = 26) -> list[float]:
    return [draw.gauss(shift, 0.02) for _ in range(count)]


@pytest.mark.slow
def test_equal_sides_are_told_apart_in_one_of_a_hundred_families_at_most() -> None:
    draw = random.Random(11)
    jobs = 1500
    wrong = 0
    for _ in range(jobs):
        found = follow_jointly({name: noise(draw) for name in "abc"}, LOOKS, LEVEL_OF_LOOKS)
        wrong += any(one.last is not None and one.last.verdict in ("faster", "slower") for one in found.values())
    # 1 % of 1,500 is 15; a correct method stays below 29 in 999 of 1,000, without Holm it would be some 40.
    assert wrong <= 28


def test_a_difference_is_found_and_the_rest_goes_on() -> None:
    draw = random.Random(5)
    found = follow_jointly({"a": noise(draw, -0.2), "b": noise(draw)}, LOOKS, LEVEL_OF_LOOKS)
    assert found["a"].decided and len(found["a"].taken) == 1
    assert found["a"].last is not None and found["a"].last.verdict == "slower"
    assert len(found["b"].taken) >= 2


def test_a_decision_that_may_not_be_claimed_settles_nothing() -> None:
    """Its question is asked at each later look; what another one decided meanwhile stays as it was."""
    draw = random.Random(5)
    values = {"a": noise(draw, -0.2), "b": noise(draw, -0.2, 6) + noise(draw, 0.2, 20)}
    alone = follow_jointly(values, LOOKS, LEVEL_OF_LOOKS)
    assert [len(one.taken) for one in alone.values()] == [1, 1]
    found = follow_jointly(values, LOOKS, LEVEL_OF_LOOKS, lambda name, one: name == "a" or one.pairs == LOOKS[-1])
    assert found["a"] == alone["a"]
    assert [one.pairs for one in found["b"].taken] == list(LOOKS)
    assert found["b"].last is not None and found["b"].last.pairs == LOOKS[-1]


@pytest.mark.slow
def test_equal_sides_asked_at_every_look_are_told_apart_in_one_of_a_hundred_families_at_most() -> None:
    """No rule of what may be claimed can do worse than this: nothing is ever claimed, so that every look is taken."""
    draw = random.Random(12)
    jobs = 1500
    wrong = 0
    for _ in range(jobs):
        told_apart: list[str] = []

        def hold_back(name: str, decision: PairedComparison, told_apart: list[str] = told_apart) -> bool:
            if decision.verdict in ("faster", "slower"):
                told_apart.append(name)
            return False

        found = follow_jointly({name: noise(draw) for name in "abc"}, LOOKS, LEVEL_OF_LOOKS, hold_back)
        assert all([one.pairs for one in its.taken] == list(LOOKS) for its in found.values())
        wrong += bool(told_apart)
    # 1 % of 1,500 is 15; a correct method stays below 29 in 999 of 1,000.
    assert wrong <= 28


def test_a_question_without_enough_pairs_has_no_look_and_counts_in_the_family() -> None:
    draw = random.Random(2)
    alone = follow_jointly({"a": noise(draw, 0.1, 6)}, LOOKS, LEVEL_OF_LOOKS)["a"]
    draw = random.Random(2)
    beside = follow_jointly({"a": noise(draw, 0.1, 6), "b": [0.1] * 5}, LOOKS, LEVEL_OF_LOOKS)
    assert beside["b"].last is None and beside["b"].taken == ()
    assert alone.last is not None and beside["a"].last is not None
    assert beside["a"].last.p == min(1.0, 2 * alone.last.p)


def test_holm_and_looks_agree_with_holm_alone() -> None:
    draw = random.Random(9)
    values = {name: noise(draw, shift, 6) for name, shift in (("a", 0.01), ("b", 0.02), ("c", 0.0))}
    found = follow_jointly(values, (6,), LEVEL_OF_LOOKS)
    expected = holm([one.taken[0].p for one in found.values()])
    assert [one.last.p for one in found.values() if one.last is not None] == expected


def test_the_rest_is_asked_once() -> None:
    draw = random.Random(3)
    found = ask_once({"a": noise(draw, 0.2, 6), "b": noise(draw, 0.0, 6)}, LEVEL_OF_LOOKS)
    assert found["a"].verdict == "faster" and found["b"].verdict == "inconclusive"
