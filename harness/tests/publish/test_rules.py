"""The page of all rules: each rule's description of itself, and how many trials it refused here."""

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
    entries = json.loads(site["api/v1/rules.json"])["rules"]
    assert [entry["id"] for entry in entries] == [rule.id for rule in RULES]
    for entry, rule in zip(entries, RULES, strict=True):
        described = describe(rule)
        assert (entry["asks"], entry["mistake"], entry["source"]) == (
            described.asks,
            described.mistake,
            described.source,
        )
        assert [threshold["name"] for threshold in entry["thresholds"]] == [
            threshold.name for threshold in described.thresholds
        ]


def refused(record: Record, rule: str, trials: int) -> Record:
    """The same record, as if a rule had refused the first `trials` measured trials, each in two phases."""
    refused_numbers = [trial.number for trial in record.trials if trial.role == "measured"][:trials]
    refusals = [Finding(rule=rule, phase=phase, outcome="invalid", reading="No.") for phase in ("closed", "open")]
    return record.model_copy(
        update={
            "trials": tuple(
                trial.model_copy(update={"findings": (*trial.findings, *refusals)})
                if trial.number in refused_numbers
                else trial
                for trial in record.trials
            )
        }
    )


def test_refusals_are_counted_by_trials_over_all_sessions(branch: Path) -> None:
    records = [reading.read_record(folder)[0] for folder in folders(branch)[:2]]
    rules_before = rules_file([digest(record) for record in records], True)
    rules_after = rules_file([digest(refused(record, "R7", 2)) for record in records], True)
    assert rules_after.trials == rules_before.trials
    assert rules_after.trials == sum(trial.role == "measured" for record in records for trial in record.trials)
    changed = {
        rule.id: rule.refused - rule_before.refused
        for rule, rule_before in zip(rules_after.rules, rules_before.rules, strict=True)
        if rule.refused != rule_before.refused
    }
    assert changed == {"R7": 4}


def test_a_study_has_a_page_of_its_own(site: dict[str, bytes]) -> None:
    for study in json.loads(site["api/v1/studies.json"])["studies"]:
        page = site[f"studies/{study['id']}/index.html"].decode()
        assert study["command"] in page
        other_commands = [
            other_study["command"]
            for other_study in json.loads(site["api/v1/studies.json"])["studies"]
            if other_study != study
        ]
        assert not any(f">{command}<" in page for command in other_commands)


def test_words_that_people_type_are_found(site: dict[str, bytes]) -> None:
    entries = json.loads(site["api/v1/search.json"])["entries"]
    subjects = json.loads(site["api/v1/index.json"])["subjects"]
    model = next(subject["concurrency"] for subject in subjects if not subject["control"])
    # The name that people know is the variant's: "Spring Boot 4 MVC, JDBC".
    variant = next(subject["variant"] for subject in subjects if not subject["control"])
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
        matches = [
            entry
            for entry in entries
            if all(word in f"{entry['title'].lower()} {entry['words']}" for word in typed.split())
        ]
        assert group in {match["group"] for match in matches}, typed


def test_the_method_is_told_without_mark_up(site: dict[str, bytes]) -> None:
    sections = json.loads(site["api/v1/method.json"])["sections"]
    blocks = [block for section in sections for block in section["blocks"] if block["kind"] != "drawing"]
    texts = [cell for block in blocks for row in block["rows"] for cell in row]
    assert {block["kind"] for block in blocks} == {"heading", "paragraph", "list", "numbered", "table"}
    assert [text for text in texts if re.search(r"^(#|- |\d+\. )|\]\(|```", text)] == []
