"""The comparison of a node's clock with this host's, by dates of whole seconds that take their time to come."""

from __future__ import annotations

import math
from email.utils import formatdate
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.measuring.cluster.clocks import compare


class Clocks:
    """This host's clock, and a clock that is ahead of it; a question and its answer take up to `way_s` each."""

    def __init__(self, start_s: float, ahead_s: float, way_s: float, seed: int) -> None:
        self.now_s, self.ahead_s, self._way_s, self._random = start_s, ahead_s, way_s, Random(seed)

    def _travel(self) -> None:
        self.now_s += self._random.uniform(0.01, 1) * self._way_s

    def date(self) -> str:
        self._travel()
        text = formatdate(math.floor(self.now_s + self.ahead_s), usegmt=True)
        self._travel()
        return text

    def now(self) -> float:
        return self.now_s

    def sleep(self, seconds: float) -> None:
        assert seconds >= 0
        self.now_s += seconds


@given(
    start_s=st.floats(1.7e9, 1.8e9),
    ahead_s=st.one_of(st.just(0.0), st.floats(-0.01, 0.01), st.floats(-100_000, 100_000)),
    way_s=st.sampled_from((0.0005, 0.002, 0.01)),
    seed=st.integers(0, 1_000_000),
)
def test_the_difference_is_within_what_is_told_and_that_is_narrow(
    start_s: float, ahead_s: float, way_s: float, seed: int
) -> None:
    clocks = Clocks(start_s, ahead_s, way_s, seed)
    difference = compare(clocks.date, clocks.now, clocks.sleep)
    # A number of seconds since 1970 has a grain of less than a microsecond.
    assert difference.least_s - 1e-6 <= ahead_s <= difference.most_s + 1e-6
    assert abs(difference.middle_s - ahead_s) <= difference.unsure_s + 1e-6
    assert difference.unsure_s <= 2 * way_s + 1e-3
    assert clocks.now_s - start_s < 5


def test_a_clock_that_is_set_meanwhile_is_not_compared() -> None:
    clocks = Clocks(1.75e9, 0.0, 0.001, 1)

    def date() -> str:
        clocks.ahead_s += 0.5
        return clocks.date()

    with pytest.raises(ValueError, match="was set"):
        compare(date, clocks.now, clocks.sleep)


@pytest.mark.parametrize("said", ["None", "", "today"])
def test_an_answer_without_a_date_is_no_clock(said: str) -> None:
    with pytest.raises(ValueError):
        compare(lambda: said)
