"""Verdicts: four words, their order, and what the robust check takes back."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from plumbline.verdicts.stats.compare import MARGIN, PairedComparison, compare, differences
from plumbline.verdicts.stats.interval import hodges_lehmann, yuen
from plumbline.verdicts.stats.power import not_slower_than

WOBBLE = (0.004, -0.002, 0.001, -0.003, 0.002, -0.001, 0.003, -0.004)


def around(effect: float, scale: float = 1.0) -> list[float]:
    """Eight differences with that mean; their standard deviation is 0.0030 times the scale."""
    return [effect + scale * wobble for wobble in WOBBLE]


def test_the_numbers_of_a_textbook_paired_t_test() -> None:
    # Student's sleep data (1908): mean 1.58, s 1.2300, t = 4.0621 with 9 degrees, p = 0.00283
    sleep = [1.2, 2.4, 1.3, 1.3, 0.0, 1.0, 1.8, 0.8, 4.6, 1.4]
    found = compare(sleep)
    assert found.effect == pytest.approx(1.58)
    assert found.p == pytest.approx(0.0028329, rel=1e-4)
    assert found.low == pytest.approx(0.3159, abs=1e-3)
    assert found.high == pytest.approx(2.8441, abs=1e-3)


def test_yuen_by_hand() -> None:
    # 2 cut at each end leaves 1.0 1.2 1.3 1.3 1.4 1.8: mean 1.3333; winsorised squares 1.004, t = 7.2884
    sleep = [1.2, 2.4, 1.3, 1.3, 0.0, 1.0, 1.8, 0.8, 4.6, 1.4]
    found = yuen(sleep)
    assert found.estimate == pytest.approx(8.0 / 6)
    winsorised = [1.0] * 3 + [1.2, 1.3, 1.3, 1.4] + [1.8] * 3
    centre = sum(winsorised) / 10
    squares = sum((value - centre) ** 2 for value in winsorised)
    t = found.estimate / math.sqrt(squares / (6 * 5))
    assert t == pytest.approx(7.2884, abs=1e-4)
    assert 0.0005 < found.p < 0.001  # t(5) is 6.869 at 0.001, 7.976 at 0.0005


def test_hodges_lehmann_by_hand() -> None:
    assert hodges_lehmann([1.0, 2.0, 10.0]) == 3.75  # of 1, 1.5, 2, 5.5, 6, 10: between 2 and 5.5


@pytest.mark.parametrize(
    ("effect", "scale", "verdict", "within"),
    [
        (0.05, 1, "faster", False),
        (-0.05, 1, "slower", False),
        (0.012, 1, "faster", True),
        (-0.012, 1, "slower", True),
        (0.0, 1, "equivalent", True),
        (0.0, 10, "inconclusive", False),
        (0.018, 10, "inconclusive", False),
    ],
)
def test_four_verdicts(effect: float, scale: float, verdict: str, within: bool) -> None:
    found = compare(around(effect, scale))
    assert (found.verdict, found.within_margin) == (verdict, within)
    assert found.fails == (verdict == "slower" and not within)


def test_significant_and_partly_outside_the_margin_is_not_within_it() -> None:
    found = compare(around(0.019))
    assert (found.verdict, found.within_margin) == ("faster", False)


def test_constant_differences() -> None:
    assert compare([0.0] * 6).verdict == "equivalent"
    assert compare([0.03] * 6).verdict == "faster"
    assert compare([math.log(1.1 * k) - math.log(k) for k in (3.0, 7.0, 11.0)]).verdict == "faster"


def with_robust(comparison: PairedComparison, **estimates: float) -> PairedComparison:
    """Return the comparison with other robust estimates than its values give."""
    altered = replace(comparison)
    vars(altered).update(estimates)
    return altered


def test_a_trimmed_test_that_contradicts_makes_it_heterogeneous() -> None:
    # Half of the trials show next to nothing, half 5 to 10 %: the mean is significant by those.
    found = compare([0.01, 0.05, 0.01, 0.1, -0.01, 0.1, 0.1, 0.01, 0.1, 0.05])
    assert found.significant and found.trimmed_p > 0.05
    assert (found.verdict, found.heterogeneous) == ("inconclusive", True)


def test_an_estimate_outside_the_interval_makes_it_heterogeneous() -> None:
    usual = compare(around(0.05))
    outside = with_robust(usual, hodges_lehmann=usual.high + 0.001)
    assert (outside.verdict, outside.heterogeneous) == ("inconclusive", True)
    other_sign = with_robust(replace(usual, low=-1.0), trimmed=-0.001)
    assert other_sign.verdict == "inconclusive"
    equal = compare(around(0.0))
    assert with_robust(equal, trimmed=equal.low - 0.001).verdict == "inconclusive"


def test_a_doubtful_trimmed_p_counts_from_ten_pairs_only() -> None:
    eight = compare(around(0.05))
    assert with_robust(eight, trimmed_p=0.06).verdict == "faster"
    ten = compare([*around(0.05), 0.05, 0.051])
    assert with_robust(ten, trimmed_p=0.06).verdict == "inconclusive"
    assert with_robust(ten, trimmed_p=0.04).verdict == "faster"


def test_fewer_pairs_than_a_spread_needs() -> None:
    with pytest.raises(ValueError, match="fewer than 3 pairs"):
        compare([0.1, 0.2])


def test_lower_is_better_turns_the_sign() -> None:
    pairs = [(10.0, 11.0)]
    assert differences(pairs, "higher") == [pytest.approx(math.log(1.1))]
    assert differences(pairs, "lower") == [pytest.approx(-math.log(1.1))]


@given(st.lists(st.floats(-0.2, 0.2), min_size=3, max_size=14))
def test_swapping_the_sides_swaps_the_verdict(values: list[float]) -> None:
    swapped = {"faster": "slower", "slower": "faster"}
    plain, opposite = compare(values), compare([-value for value in values])
    assert opposite.verdict == swapped.get(plain.verdict, plain.verdict)
    assert (opposite.low, opposite.high) == pytest.approx((-plain.high, -plain.low))


@given(st.lists(st.floats(-0.02, 0.02), min_size=3, max_size=14), st.integers(1, 3))
@example([0.013, -0.009] * 3, 1)  # within the margin by its 98 % interval, and not by its 99 % one
@example([0.008, -0.006] * 3, 1)
def test_equivalent_only_where_the_interval_lies_inside_the_margin(values: list[float], questions: int) -> None:
    found = compare(values)
    found = found.with_p(min(1.0, found.p * questions), questions)
    if found.verdict == "equivalent":
        assert -MARGIN < found.low < 1e-9 and -1e-9 < found.high < MARGIN


def test_not_slower_than() -> None:
    assert not_slower_than(compare(around(-0.01)), 0.03) == "yes"
    assert not_slower_than(compare(around(-0.05)), 0.03) == "no"
    assert not_slower_than(compare(around(-0.03)), 0.03) == "undecided"
    assert not_slower_than(compare(around(0.2)), 0.03) == "yes"
    with pytest.raises(ValueError, match="between 0 and 1"):
        not_slower_than(compare(around(0)), 3)
