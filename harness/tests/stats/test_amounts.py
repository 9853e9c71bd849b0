"""Ratios in words: no interval whose ends read the same, no percentage beyond 300."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.verdicts.stats.amounts import change, change_with_interval, range_in_words


@pytest.mark.parametrize(
    ("ratios", "words"),
    [
        ((1.32, 1.11, 1.54), "32 % more (99 % interval 11 to 54 %)"),
        ((0.76, 0.65, 0.9), "24 % less (99 % interval 10 to 35 %)"),
        ((1.48, 1.478, 1.482), "48.0 % more (99 % interval 47.8 to 48.2 %)"),
        ((1.48, 1.4799, 1.4801), "48.00 % more (99 % interval 47.99 to 48.01 %)"),
        ((1.48, 1.48, 1.48), "48.00 % more"),
        ((7.28, 5.12, 10.4), "7.3 times as much (99 % interval 5.1 to 10.4)"),
        ((3.5, 2.0, 6.0), "3.5 times as much (99 % interval 2.0 to 6.0)"),
        ((1.05, 1.003, 1.12), "5.0 % more (99 % interval 0.3 to 12.0 %)"),
        ((1.05, 1.00003, 1.12), "5 % more (99 % interval under 0.01 to 12 %)"),
        ((1.004, 1.0002, 1.011), "0.40 % more (99 % interval 0.02 to 1.10 %)"),
        ((5, 1.04, 24), "5.00 times as much (99 % interval 1.04 to 24.00)"),
        ((5, 1.0004, 24), "5.0 times as much (99 % interval under 1.01 to 24.0)"),
        ((0.01, 0.002, 0.05), "99.0 % less (99 % interval 95.0 to 99.8 %)"),
        ((0.004, 0.00002, 0.8), "99.6 % less (99 % interval 20.0 to over 99.99 %)"),
    ],
)
def test_a_difference(ratios: tuple[float, float, float], words: str) -> None:
    assert change_with_interval(*map(math.log, ratios)) == words


@pytest.mark.parametrize(
    ("ratios", "words"),
    [
        ((0.97, 1.09), "between 3 % less and 9 % more"),
        ((0.999, 1.004), "between 0.1 % less and 0.4 % more"),
        ((0.997, 1.003), "between 0.30 % less and 0.30 % more"),
        ((0.996, 1.0246), "between 0.4 % less and 2.5 % more"),
        ((0.9996, 1.09), "between 0.04 % less and 9.00 % more"),
        ((0.979, 5), "between 2.1 % less and 5.0 times as much"),
        ((0.004, 3.2), "between 99.60 % less and 220 % more"),
        ((0.0004, 4020), "anything between far less and far more"),
    ],
)
def test_what_is_not_decided(ratios: tuple[float, float], words: str) -> None:
    assert range_in_words(*map(math.log, ratios)) == words


@pytest.mark.parametrize(
    ("ratio", "words"), [(0.004, "99.60 % less"), (0.0004, "99.96 % less"), (0.00004, "under 0.0001 times as much")]
)
def test_no_amount_is_a_hundred_per_cent_less(ratio: float, words: str) -> None:
    assert change(math.log(ratio)) == words


@given(st.floats(0.0001, 8), st.floats(0, 2), st.floats(0, 2), st.sampled_from((-1, 1)))
def test_ends_never_read_alike_and_no_percentage_passes_three_hundred(
    near: float, half: float, rest: float, sign: int
) -> None:
    ends = sorted((sign * near, sign * (near + half + rest)))
    sentence = change_with_interval(sign * (near + half), *ends)
    interval = re.search(r"interval ([\d.,]+) to ([\d.,]+)", sentence)
    assert interval is None or interval[1] != interval[2]
    assert all(float(percent.replace(",", "")) <= 300 for percent in re.findall(r"([\d.,]+) %", sentence))


@given(st.floats(1e-9, 8), st.floats(0, 2), st.floats(0, 9), st.sampled_from((-1, 1)))
def test_no_value_of_a_decided_difference_reads_as_none_or_all(
    near: float, half: float, rest: float, sign: int
) -> None:
    text = change_with_interval(sign * (near + half), *sorted((sign * near, sign * (near + half + rest))))
    numbers = [float(number.replace(",", "")) for number in re.findall(r"\d[\d.,]*", text.replace("99 % interval", ""))]
    assert len(numbers) in (1, 3)
    assert all(number > (1 if "times as much" in text else 0) for number in numbers)
    assert all(number < 100 for number in numbers) or "less" not in text


def test_a_per_cent_sign_stands_apart_from_its_number() -> None:
    """Everywhere but in names of phases."""
    package = Path(__file__).parents[2] / "plumbline"
    touching = [
        path.name
        for path in package.rglob("*.py")
        for line in path.read_text(encoding="utf-8").splitlines()
        if re.search(r"\.\d%\}", line) and "open@" not in line
    ]
    assert touching == []
