from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.refusals import goal, text

from plumbline.model.errors import UsageError
from plumbline.model.record import Ran, Record
from tests.report.session import session

pytestmark = pytest.mark.slow


FRAMEWORKS = ("none", "quarkus", "vertx")


@pytest.fixture(scope="module")
def record() -> Record:
    whole_record = session()[0]
    subjects = dict.fromkeys(trial.subject for trial in whole_record.trials)
    ran = [
        Ran(subject=subject, artifact=subject, sha256="ab", framework=framework, framework_version="1")
        for subject, framework in zip(subjects, FRAMEWORKS, strict=False)
    ]
    return whole_record.model_copy(update={"ran": tuple(ran)})


def words_and_rows(monkeypatch: pytest.MonkeyPatch, *records: Record) -> tuple[str, list[str]]:
    """The words before the table, and the rows below its head."""
    monkeypatch.setattr("benchmarks.refusals.judged_anew", lambda _: [(record, {}) for record in records])
    words, table = text([Path("folder")]).split("\n\n")
    return " ".join(words.split()), table.splitlines()[2:]


def test_refused_trials_are_counted_by_framework_subject_and_rule(
    record: Record, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted = [trial for trial in record.trials if trial.role != "discarded"]
    refused = [trial for trial in counted if trial.verdict == "invalid"]
    words, rows = words_and_rows(monkeypatch, record, record)
    assert refused
    begin = f"Of {2 * len(counted)} trials in 2 sessions, of 2 frameworks and without one, {2 * len(refused)} were"
    assert words.startswith(f"{begin} refused. The goal, ")
    assert [row.split(" | ")[0] for row in rows] == sorted(row.split(" | ")[0] for row in rows)
    for trial in refused:
        (row,) = (row for row in rows if f" | {trial.subject} | " in row)
        assert all(finding.rule in row for finding in trial.findings if finding.outcome == "invalid")
    for ran in record.ran:
        trials = [trial for trial in counted if trial.subject == ran.subject]
        assert any(row.startswith(f"| {ran.framework} | {ran.subject} | {2 * len(trials)} | ") for row in rows)
    clean = record.model_copy(update={"trials": tuple(trial for trial in counted if trial not in refused)})
    words, rows = words_and_rows(monkeypatch, clean)
    assert " 0 were refused. " in words
    assert rows and all(row.endswith(" | 0 |  |") for row in rows)


@pytest.mark.parametrize(
    ("trials", "refused", "words"),
    [
        (100, 1, "is met"),
        (122, 0, "is met"),
        (76, 0, "wants 24 more"),
        (100, 2, "is missed"),
        (150, 2, "is missed"),
        (200, 2, "is met"),
        (10, 2, "is missed"),
    ],
)
def test_the_goal_is_one_refused_of_a_hundred_at_most(trials: int, refused: int, words: str) -> None:
    assert goal(trials, refused).endswith(f"of which at most 1 % are refused, {words}.")


def test_folders_without_a_trial_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match="no trial of a real session"):
        words_and_rows(monkeypatch)
