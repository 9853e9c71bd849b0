from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.refusals import text

from plumbline.model.errors import UsageError
from plumbline.model.record import Record
from tests.report.session import session

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def record() -> Record:
    return session()[0]


def told(monkeypatch: pytest.MonkeyPatch, *records: Record) -> list[str]:
    monkeypatch.setattr("benchmarks.refusals.real_sessions", lambda _: [(Path("of"), one) for one in records])
    return text([Path("folder")]).splitlines()


def test_refused_trials_are_counted_by_subject_and_rule(
    record: Record, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted = [trial for trial in record.trials if trial.role != "discarded"]
    refused = [trial for trial in counted if trial.verdict == "invalid"]
    first, *rows = told(monkeypatch, record, record)
    assert refused
    assert first.startswith(f"Of {2 * len(counted)} trials in 2 sessions {2 * len(refused)} were refused. ")
    for trial in refused:
        (row,) = (row for row in rows if row.startswith(f"| {trial.subject} |"))
        assert all(one.rule in row for one in trial.findings if one.outcome == "invalid")
    clean = record.model_copy(update={"trials": tuple(one for one in counted if one not in refused)})
    first, *rows = told(monkeypatch, clean)
    assert " 0 were refused. " in first
    assert all(row.endswith(" | 0 |  |") for row in rows if "/jvm/" in row)


def test_folders_without_a_trial_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match="no trial of a real session"):
        told(monkeypatch)
