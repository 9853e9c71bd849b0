"""The pages tell two sides apart by their own arithmetic: what they are held to is what `stats` says."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from tests.publish.verdicts import KEPT, document


def test_the_answers_that_the_pages_are_held_to_are_those_of_stats() -> None:
    kept, now = json.loads(KEPT.read_bytes()), document()
    assert [one["words"] for one in kept["comparisons"]] == [one["words"] for one in now["comparisons"]]
    assert kept["rule"] == now["rule"]
    for one, other in zip(kept["comparisons"], now["comparisons"], strict=True):
        assert [one[name] for name in ("effect", "low", "high", "p")] == pytest.approx(
            [other[name] for name in ("effect", "low", "high", "p")], rel=1e-9, abs=1e-15
        )
    assert kept["families"] == now["families"]
    assert kept["amounts"] == now["amounts"]


def test_every_word_is_asked_for() -> None:
    asked = Counter(one["words"] for one in json.loads(KEPT.read_bytes())["comparisons"])
    assert set(asked) >= {
        "faster",
        "slower",
        "faster (within 2 %)",
        "slower (within 2 %)",
        "equivalent",
        "inconclusive",
        "inconclusive (heterogeneous trials)",
    }
