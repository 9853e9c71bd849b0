"""Ranks: sure differences rank, unsure ones tie."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.verdicts.stats.compare import LEVEL, Better, compare, differences
from plumbline.verdicts.stats.drift import Drift
from plumbline.verdicts.stats.ranking import ByBlock, pair_of, ranking


def by_block(*values: float) -> dict[int, list[float]]:
    return {block: [value] for block, value in enumerate(values, start=1)}


def ranks(contenders: dict[str, dict[int, list[float]]], better: Better) -> dict[str, int | None]:
    return dict(ranking(contenders, better).ranks)


def test_far_apart() -> None:
    contenders = {
        "slow": by_block(100, 101, 99, 100, 102),
        "fast": by_block(200, 202, 199, 201, 203),
        "middle": by_block(150, 151, 149, 150, 152),
    }
    assert ranks(contenders, "higher") == {"slow": 3, "fast": 1, "middle": 2}
    assert ranks(contenders, "lower") == {"slow": 1, "fast": 3, "middle": 2}


def test_not_to_be_told_apart_share_a_rank() -> None:
    contenders = {
        "a": by_block(100, 104, 97, 101, 99),
        "b": by_block(101, 99, 103, 98, 102),
        "c": by_block(50, 51, 49, 50, 52),
    }
    assert ranks(contenders, "higher") == {"a": 1, "b": 1, "c": 3}


def test_pairing_by_block_sees_through_a_drift() -> None:
    drift = [100, 120, 140, 160, 180]
    wobbles = [0.1, -0.1, 0.2, -0.2, 0.0]
    paired = {
        "a": by_block(*drift),
        "b": by_block(*(value * 0.97 + wobble for value, wobble in zip(drift, wobbles, strict=True))),
    }
    assert ranks(paired, "higher") == {"a": 1, "b": 2}


def test_a_comparison_is_read_from_either_side() -> None:
    result = ranking({"a": by_block(100, 101, 99), "b": by_block(200, 203, 199)}, "lower")
    pair, reversed_pair = result.between("a", "b"), result.between("b", "a")
    assert pair is not None
    assert reversed_pair is not None
    assert (pair.verdict, reversed_pair.verdict) == ("faster", "slower")
    assert (pair.comparison.low, pair.comparison.high) == (
        -reversed_pair.comparison.high,
        -reversed_pair.comparison.low,
    )
    assert result.between("a", "nobody") is None
    assert result.compared("b", "a") is result.compared("a", "b") is pair
    assert result.compared("a", "nobody") is None


def test_with_more_pairs_each_is_asked_at_a_smaller_level() -> None:
    contenders = {name: by_block(*(100 + place * shift for shift in (1, 2, 3))) for place, name in enumerate("abcd")}
    assert {pair.comparison.level for pair in ranking(contenders, "higher").pairs.values()} == {LEVEL / 6}


def drifting(estimate: float, error: float) -> Drift:
    return Drift(estimate, error, degrees=24, seconds=60, processes=5)


def test_no_order_that_a_drift_could_turn_round() -> None:
    contenders = {"a": by_block(100, 101, 99, 100, 100), "b": by_block(110, 111, 109, 110, 110)}
    still = drifting(0.0, 0.001)
    assert ranking(contenders, "lower", {"a": still, "b": still}).ranks == {"a": 1, "b": 2}
    result = ranking(contenders, "lower", {"a": still, "b": drifting(0.2, 0.02)})
    assert result.ranks == {"a": 1, "b": 1}
    pair = result.between("b", "a")
    assert pair is not None
    assert pair.order is not None
    assert (pair.verdict, pair.order.why) == ("inconclusive", "still changing")


@pytest.mark.parametrize("better", ["higher", "lower"])
def test_a_drift_moves_a_pair_one_way(better: Better) -> None:
    """A figure may get better by its bound where nothing shows that it gets worse."""
    one, other = drifting(0.0, 0.01), drifting(0.1, 0.01)
    comparison = compare(differences([(100, 110), (101, 111), (99, 109)], better), LEVEL)
    pair = pair_of(comparison, better, one, other)
    assert pair.moves(better) == pytest.approx((other.may_improve, one.may_improve))
    assert pair.turned.moves(better) == pytest.approx((one.may_improve, other.may_improve))
    assert one.may_worsen == other.may_worsen == 0 and other.may_improve > 5 * one.may_improve


def test_nobody_is_equivalent_who_may_drift_out_of_the_margin() -> None:
    contenders = {"a": by_block(100, 100.1, 99.9, 100), "b": by_block(100, 99.9, 100.1, 100)}
    still, loose = drifting(0.0, 0.0001), drifting(0.0, 0.02)
    words = [
        pair.verdict
        for of_b in (still, loose)
        for pair in ranking(contenders, "lower", {"a": still, "b": of_b}).pairs.values()
    ]
    assert words == ["equivalent", "inconclusive"]


def test_without_three_blocks_in_common_nobody_has_a_rank() -> None:
    apart: dict[str, ByBlock] = {"a": by_block(100, 101, 99), "b": {4: [10.0], 5: [11.0], 6: [10.5]}}
    assert ranking(apart, "higher").ranks == {"a": None, "b": None}
    assert not ranking(apart, "higher").ranked
    assert ranks({"a": by_block(1, 2), "b": by_block(10, 20)}, "higher") == {"a": None, "b": None}


def test_one_trial_has_no_rank_and_sets_nobody_back() -> None:
    contenders = {"a": by_block(1000), "b": by_block(10, 11, 12), "c": by_block(10, 11, 12)}
    assert ranks(contenders, "higher") == {"a": None, "b": 1, "c": 1}
    assert ranking(contenders, "higher").ranked == {"b", "c"}


def test_zeros_have_no_ratio() -> None:
    contenders = {"a": by_block(0, 0, 0), "b": by_block(5, 6, 7), "c": by_block(5, 6, 7)}
    assert ranks(contenders, "lower") == {"a": None, "b": 1, "c": 1}


def test_false_alarms_of_a_whole_table_stay_at_one_percent() -> None:
    draw = random.Random(7)
    tables = 2000
    alarms = 0
    for _ in range(tables):
        contenders = {name: by_block(*(draw.gauss(100, 2) for _ in range(5))) for name in "abcd"}
        alarms += len(set(ranks(contenders, "higher").values())) > 1
    assert alarms / tables <= 0.016  # 1 %, and what 2,000 tables may scatter


values = st.floats(min_value=0.001, max_value=1e6)


@given(
    st.dictionaries(
        st.sampled_from("abcdef"),
        st.dictionaries(st.integers(1, 5), st.lists(values, min_size=1, max_size=3), max_size=5),
        max_size=6,
    )
)
def test_the_rank_the_word_and_the_interval_say_the_same(
    contenders: dict[str, dict[int, list[float]]],
) -> None:
    result = ranking(contenders, "lower")
    assert set(result.ranks) == set(contenders)
    given_ranks = [rank for rank in result.ranks.values() if rank is not None]
    assert all(1 <= rank <= len(given_ranks) for rank in given_ranks)
    for pair in result.pairs.values():
        if pair.verdict == "faster":
            assert pair.comparison.low > 0
        if pair.verdict == "slower":
            assert pair.comparison.high < 0
