"""`./bench explain`: rules for people."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from plumbline.archive.record.read import read_record
from plumbline.cli import explain_command
from plumbline.cli.console import ROOT
from plumbline.verdicts.judge.rules import RULES

EXAMPLE = next(path.parent for path in sorted((ROOT / "results" / "examples").glob("*/record.json")))


def explained(root: Path, monkeypatch: pytest.MonkeyPatch, *words: str) -> str:
    monkeypatch.setattr(explain_command, "ROOT", root)
    monkeypatch.setenv("COLUMNS", "100")
    ended = CliRunner().invoke(explain_command.command, words, standalone_mode=False, catch_exceptions=False)
    assert ended.return_value == 0
    return ended.output


def test_every_rule_is_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = explained(tmp_path, monkeypatch).splitlines()
    assert [line.split()[0] for line in lines] == [rule.id for rule in RULES]


def test_a_rule_tells_its_threshold_and_the_mistake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    explanation = explained(tmp_path, monkeypatch, "R1")
    assert "390 requests/s published (study 000)" in explanation
    assert "0.95" in explanation
    assert "no trial" in explanation


def test_a_threshold_has_no_more_digits_than_a_reader_needs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    explanation = explained(tmp_path, monkeypatch, "R17")
    assert "0.666667. What grows evenly" in explanation
    assert "3. Backends report" in explanation


def test_outcomes_are_counted_over_the_sessions_measured_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(EXAMPLE, tmp_path / "results" / "local" / EXAMPLE.name)
    document = json.loads(explained(tmp_path, monkeypatch, "R29", "--json"))
    judged = [
        trial for trial in read_record(EXAMPLE).trials if any(finding.rule == "R29" for finding in trial.findings)
    ]
    assert sum(document["outcomes_here"].values()) == len(judged) > 0


def test_a_session_that_cannot_be_read_is_named_and_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    local = tmp_path / "results" / "local"
    shutil.copytree(EXAMPLE, local / EXAMPLE.name)
    (local / "20261121T070000Z-lab-bad001").mkdir()
    (local / "20261121T070000Z-lab-bad001" / "record.json").write_text("{")
    lines = explained(tmp_path, monkeypatch, "R29").splitlines()
    assert lines[0].startswith("20261121T070000Z-lab-bad001 is left out: ")
    assert not lines[-1].endswith("no trial")
