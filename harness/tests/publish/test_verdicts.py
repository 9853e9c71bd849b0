"""The pages compare two sides by their own arithmetic: their tests take the answers of `stats` as the right ones."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from tests.publish.verdicts import KEPT, document


def test_the_answers_that_the_pages_are_held_to_are_those_of_stats() -> None:
    kept, current = json.loads(KEPT.read_bytes()), document()
    assert [comparison["words"] for comparison in kept["comparisons"]] == [
        comparison["words"] for comparison in current["comparisons"]
    ]
    assert kept["rule"] == current["rule"]
    for kept_answer, current_answer in zip(kept["comparisons"], current["comparisons"], strict=True):
        assert [kept_answer[name] for name in ("effect", "low", "high", "p")] == pytest.approx(
            [current_answer[name] for name in ("effect", "low", "high", "p")], rel=1e-9, abs=1e-15
        )
    for kept_answer, current_answer in zip(kept["adjusted"], current["adjusted"], strict=True):
        assert kept_answer == pytest.approx(current_answer, rel=1e-9, abs=1e-15)
    assert kept["families"] == current["families"]
    assert kept["amounts"] == current["amounts"]


def test_every_word_is_asked_for() -> None:
    counts = Counter(comparison["words"] for comparison in json.loads(KEPT.read_bytes())["comparisons"])
    assert set(counts) >= {
        "faster",
        "slower",
        "faster (within 2 %)",
        "slower (within 2 %)",
        "equivalent",
        "inconclusive",
        "inconclusive (heterogeneous trials)",
    }
