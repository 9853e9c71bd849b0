"""Ranks: sure differences rank, unsure ones tie."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from plumbline.stats.ties import ranks


def by_block(*values: float) -> dict[int, list[float]]:
    return {block: [value] for block, value in enumerate(values, start=1)}


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
    paired = {
        "a": by_block(*drift),
        "b": by_block(
            *(value * 0.97 + wobble for value, wobble in zip(drift, [0.1, -0.1, 0.2, -0.2, 0.0], strict=True))
        ),
    }
    assert ranks(paired, "higher") == {"a": 1, "b": 2}
    moved = {"a": paired["a"], "b": {block + 10: values for block, values in paired["b"].items()}}
    assert ranks(moved, "higher") == {"a": 1, "b": 1}


def test_without_common_blocks_welch_tells_the_far_apart() -> None:
    contenders = {"a": {1: [100.0], 2: [101.0], 3: [99.0]}, "b": {4: [10.0], 5: [11.0], 6: [10.5]}}
    assert ranks(contenders, "higher") == {"a": 1, "b": 2}


def test_one_trial_has_no_rank_and_sets_nobody_back() -> None:
    assert ranks({"a": by_block(1000), "b": by_block(10, 11, 12)}, "higher") == {"a": None, "b": 1}


def test_zeros_are_compared_as_they_are() -> None:
    assert ranks({"a": by_block(0, 0, 0), "b": by_block(5, 6, 7)}, "lower") == {"a": 1, "b": 2}


def test_equal_constants_tie() -> None:
    assert ranks({"a": by_block(3, 3), "b": by_block(3, 3)}, "lower") == {"a": 1, "b": 1}


def test_false_alarms_of_a_whole_table_stay_at_five_percent() -> None:
    draw = random.Random(7)
    tables = 2000
    alarms = 0
    for _ in range(tables):
        contenders = {name: by_block(*(draw.gauss(100, 2) for _ in range(5))) for name in "abcd"}
        alarms += len(set(ranks(contenders, "higher").values())) > 1
    assert alarms / tables <= 0.06


values = st.floats(min_value=0.001, max_value=1e6)


@given(
    st.dictionaries(
        st.sampled_from("abcdef"),
        st.dictionaries(st.integers(1, 5), st.lists(values, min_size=1, max_size=3), max_size=5),
        max_size=6,
    )
)
def test_always_answers(contenders: dict[str, dict[int, list[float]]]) -> None:
    found = ranks(contenders, "lower")
    assert set(found) == set(contenders)
    given_ranks = [rank for rank in found.values() if rank is not None]
    assert not given_ranks or min(given_ranks) >= 1
    assert all(rank <= len(given_ranks) for rank in given_ranks)
