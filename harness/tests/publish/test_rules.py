"""The page of all rules: each as it describes itself, and how often it refused here."""

from __future__ import annotations

import json
import re
from pathlib import Path

from plumbline.model.record import Finding, Record
from plumbline.reporting.publish import reading
from plumbline.reporting.publish.digest import digest
from plumbline.reporting.publish.rules import rules_file
from plumbline.subjects.catalog.variant import read_variant
from plumbline.verdicts.judge.description import describe
from plumbline.verdicts.judge.rules import RULES
from .data import ROOT, folders


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


def refused(record: Record, rule: str, trials: int) -> Record:
    """The same record, had a rule refused so many of its measured trials, each in two of its phases."""
    left = [one.number for one in record.trials if one.role == "measured"][:trials]
    said = [Finding(rule=rule, phase=phase, outcome="invalid", reading="No.") for phase in ("closed", "open")]
    return record.model_copy(
        update={
            "trials": tuple(
                one.model_copy(update={"findings": (*one.findings, *said)}) if one.number in left else one
                for one in record.trials
            )
        }
    )


def test_refusals_are_counted_by_trials_over_all_sessions(branch: Path) -> None:
    records = [reading.read_record(folder)[0] for folder in folders(branch)[:2]]
    before = rules_file([digest(one) for one in records], True)
    after = rules_file([digest(refused(one, "R7", 2)) for one in records], True)
    assert after.trials == before.trials
    assert after.trials == sum(one.role == "measured" for its in records for one in its.trials)
    changed = {
        one.id: one.refused - other.refused
        for one, other in zip(after.rules, before.rules, strict=True)
        if one.refused != other.refused
    }
    assert changed == {"R7": 4}


def test_a_study_has_a_page_of_its_own(site: dict[str, bytes]) -> None:
    for study in json.loads(site["api/v1/studies.json"])["studies"]:
        page = site[f"studies/{study['id']}/index.html"].decode()
        assert study["command"] in page
        others = [one["command"] for one in json.loads(site["api/v1/studies.json"])["studies"] if one != study]
        assert not any(f">{command}<" in page for command in others)


def test_words_that_people_type_are_found(site: dict[str, bytes]) -> None:
    entries = json.loads(site["api/v1/search.json"])["entries"]
    subjects = json.loads(site["api/v1/index.json"])["subjects"]
    model = next(one["concurrency"] for one in subjects if not one["control"])
    # The name that people know is the variant's: "Spring Boot 4 MVC, JDBC".
    variant = next(one["variant"] for one in subjects if not one["control"])
    name = read_variant(ROOT / "apps" / variant).spec.name.lower()
    assert name != variant
    for typed, group in (
        (f"{model} concurrency", "framework"),
        (name, "framework"),
        (name, "subject"),
        ("postgresql", "subject"),
        ("latency", "measure"),
        ("requests per second", "measure"),
        ("startup", "page"),
        ("fastest", "page"),
        ("why refused", "page"),
        ("db-tls", "setting"),
        ("just-in-time compiler", "section"),
        ("r29", "rule"),
    ):
        found = [
            one for one in entries if all(word in f"{one['title'].lower()} {one['words']}" for word in typed.split())
        ]
        assert group in {one["group"] for one in found}, typed


def test_the_method_is_told_without_mark_up(site: dict[str, bytes]) -> None:
    sections = json.loads(site["api/v1/method.json"])["sections"]
    blocks = [block for section in sections for block in section["blocks"] if block["kind"] != "drawing"]
    texts = [cell for block in blocks for row in block["rows"] for cell in row]
    assert {block["kind"] for block in blocks} == {"heading", "paragraph", "list", "numbered", "table"}
    assert [text for text in texts if re.search(r"^(#|- |\d+\. )|\]\(|```", text)] == []
