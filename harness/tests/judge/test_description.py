"""Rules in words: each rule says what it asks, and gives a reason for each of its thresholds."""

from __future__ import annotations

import re

import pytest

from plumbline.model.errors import UsageError
from plumbline.verdicts.judge.description import describe, rule_named
from plumbline.verdicts.judge.rule import Rule
from plumbline.verdicts.judge.rules import RULES


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: str(rule.id))
def test_a_rule_says_what_it_asks_and_the_reason_of_each_threshold(rule: Rule) -> None:
    described = describe(rule)
    assert described.asks[0].isupper() and described.asks.endswith(".")
    assert described.looks_at.endswith(".")
    assert [threshold.name for threshold in described.thresholds if not threshold.reason] == []


def test_thresholds_are_those_that_decide() -> None:
    by_name = {threshold.name: threshold for threshold in describe(rule_named("R1")).thresholds}
    assert by_name["SATURATED"].value == 0.95
    assert "stops the world" in by_name["SATURATED"].reason


def test_constants_under_one_comment_share_it() -> None:
    by_name = {threshold.name: threshold for threshold in describe(rule_named("R4")).thresholds}
    assert by_name["LAG_FORGIVEN_MS"].reason == by_name["LAG_MAX_PART_OF_P99"].reason != ""


def test_constants_of_one_line_are_told_one_by_one() -> None:
    """R2 was explained without any threshold, and R16 without two of its own."""
    values = {threshold.name: threshold.value for threshold in describe(rule_named("R2")).thresholds}
    assert (values["LOSS_MIN"], values["LOSS_MAX"]) == (0.16, 0.31)
    assert "FRESH_SIGMAS" in {threshold.name for threshold in describe(rule_named("R16")).thresholds}


@pytest.mark.parametrize(
    ("rule", "name", "value"),
    [
        ("R2", "GAIN_MAX", 0.02),
        ("R6", "GAIN_MAX", 0.02),
        ("R12", "NOT_THE_APPLICATION", 0.9),
        ("R18", "FOREIGN_IN_WARM_UP_MAX", 0.1),
        ("R29", "LEAST_MEASURED_S", 15),
        ("R34", "WRITTEN_PER_S_MAX", 16 * 1024),
    ],
)
def test_a_threshold_of_another_file_is_told(rule: str, name: str, value: float) -> None:
    """R6 was explained without its only limit."""
    by_name = {threshold.name: threshold for threshold in describe(rule_named(rule)).thresholds}
    assert by_name[name].value == value and by_name[name].reason


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: str(rule.id))
def test_a_reading_is_no_threshold(rule: Rule) -> None:
    values = [threshold.value for threshold in describe(rule).thresholds]
    assert not [value for value in values if isinstance(value, str) and value.endswith(".")]


# Enough for a subject, a verb and an object; `Of the figure.` was the reason of a threshold of R29.
WORDS_MIN = 5


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: str(rule.id))
def test_the_reason_of_a_threshold_is_made_of_whole_sentences(rule: Rule) -> None:
    for threshold in describe(rule).thresholds:
        sentences = re.split(r"(?<=[.])\s+(?=[A-Z])", threshold.reason)
        assert [sentence for sentence in sentences if len(sentence.split()) < WORDS_MIN] == [], threshold.name


@pytest.mark.parametrize("text", ["R29", "r29", "29"])
def test_a_rule_is_found_by_its_number(text: str) -> None:
    assert rule_named(text).id == "R29"


@pytest.mark.parametrize("text", ["R99", "", "R", "twenty", "R-1", "²"])
def test_an_unknown_rule_is_refused_with_those_that_exist(text: str) -> None:
    with pytest.raises(UsageError, match=f"There are R1 to R{len(RULES)}; "):
        rule_named(text)


def test_a_word_instead_of_a_rule_names_the_rules_about_it() -> None:
    with pytest.raises(UsageError, match=r"Titles with that word: R29 \(Steady while it was measured\)\."):
        rule_named("steady")
