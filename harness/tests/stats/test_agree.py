"""Two measurements of one ratio: agreement is shown, never read out of a missing significance."""

from __future__ import annotations

import math
import random
from dataclasses import replace

import pytest

from plumbline.verdicts.stats.agree import (
    AGREES_WITHIN,
    Estimate,
    agreement,
    detectable_difference,
    paired,
    unpaired,
)


@pytest.mark.parametrize(
    ("shift", "error", "word"),
    [
        (0.0, 0.005, "agrees"),
        (0.02, 0.003, "agrees"),  # significant, and within the margin
        (0.0, 0.05, "can't tell"),
        (0.04, 0.005, "can't tell"),  # significant, and perhaps within the margin
        (0.3, 0.02, "disagrees"),
        (-0.3, 0.02, "disagrees"),
    ],
)
def test_words(shift: float, error: float, word: str) -> None:
    found = agreement(Estimate(0.4, error, 9), Estimate(0.4 + shift, error, 9))
    assert found.word == word
    assert found.low <= found.difference <= found.high and found.difference == pytest.approx(shift)


@pytest.mark.parametrize("scatter", [0.01, 0.05, 0.5])
@pytest.mark.parametrize("ratios", [1, 10])
def test_sessions_that_differ_by_the_margin_disagree_in_one_of_a_hundred_at_most(scatter: float, ratios: int) -> None:
    draw = random.Random(4)
    jobs = 3000
    wrong = 0
    for _ in range(jobs // ratios):
        wrong += any(
            agreement(
                paired([draw.gauss(0.2, scatter) for _ in range(6)]),
                paired([draw.gauss(0.2 + AGREES_WITHIN, scatter) for _ in range(6)]),
                ratios,
            ).word
            == "disagrees"
            for _ in range(ratios)
        )
    # 1 % is 30; a correct method stays below 49 in 999 of 1,000.
    assert wrong <= 48


@pytest.mark.parametrize(
    ("shift", "falls", "rises", "word"),
    [
        (0.0, 0.02, 0.02, "agrees"),
        (0.0, 0.04, 0.0, "can't tell"),  # noise and drift together leave the margin
        (0.0, 0.0, 0.04, "can't tell"),
        (0.3, 0.1, 0.5, "disagrees"),  # only a fall could bring the difference back
        (0.3, 0.3, 0.0, "can't tell"),
        (-0.3, 0.5, 0.1, "disagrees"),
        (-0.3, 0.0, 0.3, "can't tell"),
    ],
)
def test_a_drift_that_could_turn_a_word_round_takes_it_back(
    shift: float, falls: float, rises: float, word: str
) -> None:
    still = agreement(Estimate(0.4, 0.005, 9), Estimate(0.4 + shift, 0.005, 9))
    ours = agreement(Estimate(0.4, 0.005, 9), Estimate(0.4 + shift, 0.005, 9, falls, rises))
    # What lets the ratio there fall lets the difference rise.
    theirs = agreement(Estimate(0.4, 0.005, 9, rises, falls), Estimate(0.4 + shift, 0.005, 9))
    assert ours == theirs
    assert (ours.word, ours.undone_by_drift) == (word, word == "can't tell")
    assert not still.undone_by_drift
    assert (ours.low, ours.high) == (still.low, still.high)
    assert ours.detectable == pytest.approx(still.detectable + max(falls, rises))


def test_equal_ratios_of_which_one_still_drifts_disagree_in_one_of_a_hundred_at_most() -> None:
    draw = random.Random(6)
    jobs, drift = 3000, 0.3
    alone = widened = 0
    for _ in range(jobs):
        there = paired([draw.gauss(0.2, 0.05) for _ in range(6)])
        here = paired([draw.gauss(0.2 + drift, 0.05) for _ in range(6)])
        alone += agreement(there, here).word == "disagrees"
        widened += agreement(there, replace(here, falls=drift)).word == "disagrees"
    assert widened <= 48
    assert alone > 0.9 * jobs


@pytest.mark.parametrize("ratios", [1, 10])
def test_what_is_said_to_be_detectable_is_found(ratios: int) -> None:
    draw = random.Random(8)
    size = detectable_difference(Estimate(0.0, 0.1 * math.sqrt(2 / 8), 14), ratios)
    found = 0
    for _ in range(1000):
        there = [draw.gauss(0.0, 0.1) for _ in range(8)]
        here = [draw.gauss(size, 0.1) for _ in range(8)]
        found += agreement(paired(there), paired(here), ratios).word == "disagrees"
    # Binomial: 0.05 % of correct ones lie outside 926 to 971 on each side.
    assert 926 <= found <= 971


def test_unpaired_is_the_difference_of_means() -> None:
    found = unpaired([1.0, 1.2, 1.1], [0.5, 0.7])
    assert found.effect == pytest.approx(0.5)
    assert found.error == pytest.approx(math.sqrt(0.01 / 3 + 0.02 / 2))
    assert 1 < found.degrees < 3


def test_nothing_scatters() -> None:
    assert agreement(Estimate(0.1, 0.0, 3), Estimate(0.1, 0.0, 3)).word == "agrees"
    assert agreement(Estimate(0.1, 0.0, 3), Estimate(0.9, 0.0, 3)).word == "disagrees"
