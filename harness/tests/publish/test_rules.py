"""The page of all rules: each as it describes itself, and how often it refused here."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

from plumbline.judge.description import describe
from plumbline.judge.rules import RULES
from .data import folders, read


def test_every_rule_is_there_in_its_own_words(site: dict[str, bytes]) -> None:
    found = json.loads(site["api/v1/rules.json"])["rules"]
    assert [one["id"] for one in found] == [rule.id for rule in RULES]
    for entry, rule in zip(found, RULES, strict=True):
        described = describe(rule)
        assert (entry["asks"], entry["mistake"], entry["source"]) == (
            described.asks,
            described.mistake,
            described.source,
        )
        assert [one["name"] for one in entry["thresholds"]] == [one.name for one in described.thresholds]


def test_refusals_are_counted_over_all_sessions(branch: Path, site: dict[str, bytes]) -> None:
    expected: Counter[str] = Counter()
    trials = 0
    for folder in folders(branch):
        for trial in read(folder)["trials"]:
            if trial["role"] == "measured":
                trials += 1
                expected.update({one["rule"] for one in trial["findings"] if one["outcome"] == "invalid"})
    found = json.loads(site["api/v1/rules.json"])
    assert found["trials"] == trials
    assert {one["id"]: one["refused"] for one in found["rules"] if one["refused"]} == dict(expected)
    assert expected


def test_a_study_has_a_page_of_its_own(site: dict[str, bytes]) -> None:
    for study in json.loads(site["api/v1/studies.json"])["studies"]:
        page = site[f"studies/{study['id']}/index.html"].decode()
        assert study["command"] in page
        others = [
            one["command"] for one in json.loads(site["api/v1/studies.json"])["studies"] if one != study
        ]
        assert not any(f">{command}<" in page for command in others)


def test_words_that_people_type_are_found(site: dict[str, bytes]) -> None:
    entries = json.loads(site["api/v1/search.json"])["entries"]
    subjects = json.loads(site["api/v1/index.json"])["subjects"]
    model = next(one["concurrency"] for one in subjects if not one["control"])
    for typed, group in (
        (f"{model} concurrency", "framework"),
        ("latency", "measure"),
        ("why refused", "page"),
        ("db-tls", "setting"),
        ("just-in-time compiler", "section"),
        ("r29", "rule"),
    ):
        found = [
            one
            for one in entries
            if all(word in f"{one['title'].lower()} {one['words']}" for word in typed.split())
        ]
        assert group in {one["group"] for one in found}, typed
