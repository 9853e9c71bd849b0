"""Families against adjusted p values worked out by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.verdicts.stats.compare import compare
from plumbline.verdicts.stats.families import benjamini_hochberg, family, holm

P = [0.01, 0.04, 0.03, 0.005]


def test_holm_by_hand() -> None:
    # sorted 0.005 0.01 0.03 0.04 times 4 3 2 1: 0.02 0.03 0.06 0.04 -> 0.06
    assert holm(P) == pytest.approx([0.03, 0.06, 0.06, 0.02])


def test_benjamini_hochberg_by_hand() -> None:
    # times 4/1 4/2 4/3 4/4: 0.02 0.02 0.04 0.04
    assert benjamini_hochberg(P) == pytest.approx([0.02, 0.04, 0.04, 0.02])


def test_nothing_asked() -> None:
    assert holm([]) == benjamini_hochberg([]) == []


@given(st.lists(st.floats(0, 1), max_size=8))
def test_adjusting_never_helps_and_keeps_the_order(p_values: list[float]) -> None:
    for adjusted in (holm(p_values), benjamini_hochberg(p_values)):
        assert all(p <= after <= 1 for p, after in zip(p_values, adjusted, strict=True))
        order = sorted(range(len(p_values)), key=p_values.__getitem__)
        assert [adjusted[place] for place in order] == sorted(adjusted)
    assert all(
        strict >= mild - 1e-15 for strict, mild in zip(holm(p_values), benjamini_hochberg(p_values), strict=True)
    )


def test_a_family_takes_a_weak_verdict_back() -> None:
    weak = compare([0.03, 0.01, 0.06, 0.02, 0.05, 0.03, 0.005])
    strong = compare([0.05, 0.051, 0.049, 0.05, 0.052, 0.048])
    flat = compare([0.03, -0.03, 0.02, -0.02, 0.01, -0.01])
    assert weak.verdict == "faster"
    judged = family({"throughput": weak, "start": strong, "p99": flat}, holm)
    assert {name: comparison.verdict for name, comparison in judged.items()} == {
        "throughput": "inconclusive",
        "start": "faster",
        "p99": "inconclusive",
    }
