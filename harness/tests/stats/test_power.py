"""Minimum detectable effect: against simulation through the real verdict, and against a table of known values."""

from __future__ import annotations

import math
import random

import pytest

from plumbline.verdicts.stats.compare import LEVEL, PairedComparison, compare
from plumbline.verdicts.stats.families import follow_jointly
from plumbline.verdicts.stats.power import detectable_by, detectable_effect, further_pairs


@pytest.mark.parametrize("pairs", [4, 6, 10, 13, 20])
def test_found_in_ninety_five_of_a_hundred(pairs: int) -> None:
    draw = random.Random(pairs)
    effect = detectable_effect(pairs, 0.01)
    detected = sum(compare([draw.gauss(effect, 0.01) for _ in range(pairs)]).verdict == "faster" for _ in range(2000))
    # Binomial, 2,000 jobs at 95 %: 0.05 % of correct ones lie outside 1,865 to 1,932 on each side.
    assert 1865 <= detected <= 1932


@pytest.mark.parametrize(
    ("cv", "share", "pairs"),
    [(0.005, 0.02, 6), (0.005, 0.01, 13), (0.01, 0.02, 13), (0.01, 0.03, 8), (0.01, 0.05, 5)],
)
def test_the_pairs_of_method_2(cv: float, share: float, pairs: int) -> None:
    spread = math.sqrt(2) * cv
    assert math.expm1(detectable_effect(pairs, spread)) == pytest.approx(share, rel=0.09)


def test_the_printed_effect_is_right_on_average() -> None:
    draw = random.Random(1)
    printed = [detectable_by(compare([draw.gauss(0, 0.01) for _ in range(6)])) for _ in range(4000)]
    assert sum(printed) / 4000 == pytest.approx(detectable_effect(6, 0.01), rel=0.02)


def test_a_question_among_others_finds_less() -> None:
    values = [0.02, -0.02, 0.03, -0.03, 0.01, -0.01]
    courses = follow_jointly({"asked": values, "other": values}, dict.fromkeys(("asked", "other"), (6,)), LEVEL)
    last = courses["asked"].last
    assert last is not None and detectable_by(last) == detectable_by(compare(values, LEVEL / 2))


def test_a_sample_of_two_at_least() -> None:
    with pytest.raises(ValueError, match="fewer than two"):
        detectable_effect(1, 0.01)


@pytest.mark.parametrize("questions", [1, 9])
@pytest.mark.parametrize(("effect", "scale"), [(0.0, 0.85), (0.04, 1.0), (0.08, 3.0)])
def test_further_pairs_decide(effect: float, scale: float, questions: int) -> None:
    wobble = (0.012, -0.012, 0.018, -0.018, 0.006, -0.006)
    others = {str(place): list(wobble) for place in range(1, questions)}

    def asked(values: list[float]) -> PairedComparison:
        looks = {"asked": (len(values),), **dict.fromkeys(others, (6,))}
        last = follow_jointly({"asked": values, **others}, looks, LEVEL)["asked"].last
        assert last is not None
        return last

    open_ = asked([effect + scale * value for value in wobble])
    further = further_pairs(open_)
    assert further is not None and (6 + further) % 2 == 0
    draw = random.Random(2)
    decided = sum(
        asked([draw.gauss(effect, open_.spread) for _ in range(6 + further)]).verdict != "inconclusive"
        for _ in range(1000)
    )
    # Binomial: 0.05 % of those with 95 % power lie below 926.
    assert decided >= 926


def test_on_the_margin_no_number_of_pairs_decides_equivalence() -> None:
    undecidable = compare([0.0198 + value for value in (0.9, -0.9, 0.8, -0.8)])
    assert further_pairs(undecidable) is None
