from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.machine.host.kernel import format_cpulist, parse_cpulist


@pytest.mark.parametrize(
    ("text", "numbers"), [("", ()), ("0\n", (0,)), ("0-3,8", (0, 1, 2, 3, 8)), ("7,1-2", (1, 2, 7))]
)
def test_reads_the_kernels_notation(text: str, numbers: tuple[int, ...]) -> None:
    assert parse_cpulist(text) == numbers


def test_refuses_anything_else() -> None:
    with pytest.raises(ValueError):
        parse_cpulist("all")


@given(st.sets(st.integers(0, 300)))
def test_what_is_written_reads_the_same(numbers: set[int]) -> None:
    assert parse_cpulist(format_cpulist(numbers)) == tuple(sorted(numbers))
