"""Rules in words: each says what it asks and why its thresholds are what they are."""

from __future__ import annotations

import pytest

from plumbline.judge.description import describe, rule_named
from plumbline.judge.rule import Rule
from plumbline.judge.rules import RULES
from plumbline.model.errors import UsageError


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: str(rule.id))
def test_a_rule_says_what_it_asks_and_the_reason_of_each_threshold(rule: Rule) -> None:
    described = describe(rule)
    assert described.asks.endswith(".")
    assert described.looks_at.endswith(".")
    assert [threshold.name for threshold in described.thresholds if not threshold.reason] == []


def test_thresholds_are_those_that_decide() -> None:
    by_name = {threshold.name: threshold for threshold in describe(rule_named("R1")).thresholds}
    assert by_name["SATURATED"].value == 0.95
    assert "stops the world" in by_name["SATURATED"].reason


def test_constants_under_one_comment_share_it() -> None:
    by_name = {threshold.name: threshold for threshold in describe(rule_named("R4")).thresholds}
    assert by_name["LAG_FORGIVEN_MS"].reason == by_name["LAG_MAX_PART_OF_P99"].reason != ""


@pytest.mark.parametrize("text", ["R29", "r29", "29"])
def test_a_rule_is_found_by_its_number(text: str) -> None:
    assert rule_named(text).id == "R29"


@pytest.mark.parametrize("text", ["R99", "", "R", "twenty", "R-1", "²"])
def test_an_unknown_rule_is_refused_with_those_that_exist(text: str) -> None:
    with pytest.raises(UsageError, match=r"Known: R1, R2, "):
        rule_named(text)
