"""Canonical JSON: one document, one text."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.archive.record.files import canonical_bytes, parsed

values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner),
    max_leaves=20,
)


@pytest.mark.slow
@given(st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), values))
def test_reading_and_writing_changes_nothing(document: dict[str, Any]) -> None:
    once = canonical_bytes(document)
    assert canonical_bytes(json.loads(once)) == once
    assert json.loads(once) == document


def test_the_form() -> None:
    document = {"b": [1.0, 2.5, 1e300, 0.1], "a": {"ü": True, "n": None}, "c": -0.0}
    expected = '{"a":{"n":null,"ü":true},"b":[1,2.5,1e+300,0.1],"c":0}\n'
    assert canonical_bytes(document) == expected.encode()


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_what_json_does_not_have_is_refused(value: float) -> None:
    with pytest.raises(ValueError, match="JSON compliant"):
        canonical_bytes({"value": value})


@pytest.mark.parametrize(
    "text",
    [
        '{"a":1,"b":2,"a":3}',
        "[-0, -0.0, 1e400, 5e-324, 9007199254740993, 0.1000000000000000055]",
        "[NaN, -Infinity]",
        '"\\ud800"',
        "[" * 300 + "]" * 300,
        "\ufeff{}",
    ],
)
def test_json_is_read_as_by_the_standard_library(text: str) -> None:
    assert repr(parsed(text.encode())) == repr(json.loads(text.encode()))


@pytest.mark.parametrize("text", ["", "[1,]", "01", '"a\tb"', "nul", '{"a":1} 2'])
def test_what_is_no_json_is_refused_in_the_same_words(text: str) -> None:
    with pytest.raises(ValueError) as expected:
        json.loads(text.encode())
    with pytest.raises(ValueError) as refused:
        parsed(text.encode())
    assert str(refused.value) == str(expected.value)
