"""Clean sessions stay clean, on every class of host."""

from __future__ import annotations

import pytest

from plumbline.model.host import HostClass
from plumbline.verdicts.judge.referee import judge, session_verdict, trial_verdict
from plumbline.verdicts.judge.rules import RULES
from tests.judge.evidence import session


def test_all_rules_of_the_main_job_are_there() -> None:
    wanted = [
        "R1",
        "R2",
        "R3",
        "R4",
        "R5",
        "R6",
        "R7",
        "R8",
        "R9",
        "R10",
        "R11",
        "R12",
        "R13",
        "R14",
        "R15",
        "R16",
        "R17",
        "R18",
        "R19",
        "R20",
        "R21",
        "R22",
        "R23",
        "R24",
        "R25",
        "R26",
        "R27",
        "R28",
        "R29",
        "R30",
        "R31",
        "R32",
        "R33",
        "R34",
        "R35",
    ]
    assert [rule.id for rule in RULES] == wanted


@pytest.mark.parametrize(("host_class", "verdict"), [("lab", "valid"), ("shared", "advisory"), ("small", "advisory")])
def test_a_clean_session(host_class: HostClass, verdict: str) -> None:
    whole = session(host_class)
    found = judge(whole)
    outcomes = {(finding.rule, finding.outcome, finding.reading) for trial in found.values() for finding in trial}
    odd = {(rule, reading) for rule, outcome, reading in outcomes if outcome not in ("pass", "n/a")}
    assert odd == ({("R19", "Database and load generator share CPUs.")} if host_class == "small" else set())
    verdicts = {number: trial_verdict(trial, host_class) for number, trial in found.items()}
    assert set(verdicts.values()) == {verdict}
    assert session_verdict(verdicts, whole.plan) == verdict


def test_every_rule_says_something_of_every_trial() -> None:
    for trial in judge(session(blocks=1)).values():
        assert {finding.rule for finding in trial} == {rule.id for rule in RULES}


def test_readings_are_sentences() -> None:
    for trial in judge(session()).values():
        for finding in trial:
            assert finding.reading[0].isupper() or finding.reading[0].isdigit()
            assert finding.reading.endswith(".")


def test_same_evidence_same_findings() -> None:
    assert judge(session()) == judge(session())
