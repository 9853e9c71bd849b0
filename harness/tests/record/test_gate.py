"""The gate: its word on a record of any version, and what today's rules say about the same record."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from plumbline.archive.record.assemble import assemble
from plumbline.archive.record.gate import Checked, check, check_all, opened
from plumbline.archive.record.write import write_record
from plumbline.cli.verify_command import lines, status
from plumbline.model.errors import AnswerIsNo, UsageError
from plumbline.model.record import Record
from plumbline.verdicts.judge.referee import RULES_VERSION
from tests.judge.evidence import session
from tests.record.sessions import evidence_of, host_session, record, rewritten, sealed_again, written

pytestmark = pytest.mark.slow


def of_rules(folder: Path, rules: int) -> None:
    document = record().model_dump(mode="json")
    document["versions"]["rules"] = rules
    rewritten(folder, Record.model_validate(document))


def test_a_record_of_todays_versions(tmp_path: Path) -> None:
    found = check(written(tmp_path))
    assert (found.word, found.rules, found.today) == ("as recorded", RULES_VERSION, None)
    assert found.figures > 100 and found.findings > 100


def test_a_record_of_versions_that_nobody_froze_is_neither_whole_nor_changed(tmp_path: Path) -> None:
    folder = written(tmp_path)
    of_rules(folder, RULES_VERSION + 1)
    found = check(folder)
    assert found.word == "can't be recomputed here" and found.difference is None
    assert found.reason is not None and f"is of rules {RULES_VERSION + 1} and figures" in found.reason
    # Today's rules judge the record all the same, and here they agree with it.
    assert found.today is not None and (found.today.problem, found.today.otherwise) == (None, ())


def test_what_today_would_say_is_named_by_trial_and_rule(tmp_path: Path) -> None:
    folder = written(tmp_path)
    document = record().model_dump(mode="json")
    document["versions"]["rules"] = RULES_VERSION + 1
    row = document["trials"][4]
    now, row["verdict"] = row["verdict"], "invalid"
    rewritten(folder, Record.model_validate(document))
    found = check(folder).today
    assert found is not None
    assert [(change.trial, change.then, change.now) for change in found.otherwise] == [(row["number"], "invalid", now)]


def test_an_older_record_that_was_changed_is_changed(tmp_path: Path) -> None:
    folder = written(tmp_path)
    of_rules(folder, RULES_VERSION + 1)
    (folder / "evidence" / "0003.json.gz").write_bytes(b"")
    found = check(folder)
    assert found.word == "changed" and found.today is None
    assert found.difference is not None and found.difference.file == "evidence/0003.json.gz"


def test_many_records_below_a_folder(tmp_path: Path) -> None:
    broken, intact = written(tmp_path / "2026" / "b"), written(tmp_path / "2026" / "a")
    (broken / "record.json").unlink()
    (tmp_path / ".running").mkdir()
    (tmp_path / ".running" / "record.json").write_text("{}")

    def words(results: tuple[Checked, ...]) -> list[tuple[Path, str]]:
        return [(result.folder, result.word) for result in results]

    assert words(check_all(tmp_path)) == [(intact, "as recorded"), (broken, "changed")]
    assert words(check_all(intact)) == [(intact, "as recorded")]


def test_nothing_to_verify(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no record at or below"):
        check_all(tmp_path)


def test_a_record_that_lacks_planned_trials_is_not_whole(tmp_path: Path) -> None:
    facts, evidence = session(blocks=1), evidence_of(blocks=1)
    last = max(evidence)
    del evidence[last]
    incomplete = assemble(host_session(facts), evidence, workload_version=1)
    write_record(tmp_path / "session", incomplete, evidence)
    found = check(tmp_path / "session")
    assert (found.word, found.missing) == ("as recorded", (last,))
    assert status((found,)) == 1
    assert any(f"NOT whole: trials {last} of its plan are missing" in line for line in lines(found))
    assert {trial.verdict for trial in incomplete.trials} <= {"advisory", "invalid"}
    with pytest.raises(AnswerIsNo, match=f"session is not whole: it lacks trials {last} of its plan"):
        opened(tmp_path / "session", print)


def test_the_three_exit_statuses(tmp_path: Path) -> None:
    good = check(written(tmp_path))
    changed, unknown = replace(good, word="changed"), replace(good, word="can't be recomputed here")
    assert [status(results) for results in ((good,), (changed,), (unknown,))] == [0, 1, 3]
    assert [status(results) for results in ((good, unknown), (unknown, changed, good))] == [3, 1]


def test_what_was_changed_is_handed_to_nobody(tmp_path: Path) -> None:
    sentences: list[str] = []
    folder = written(tmp_path)
    assert opened(folder, sentences.append)[0] == record()
    of_rules(folder, RULES_VERSION + 1)
    opened(folder, sentences.append)
    assert len(sentences) == 1 and "can't be recomputed here" in sentences[0]
    (folder / "evidence" / "0005.json.gz").write_bytes((folder / "evidence" / "0006.json.gz").read_bytes())
    sealed_again(folder)
    with pytest.raises(AnswerIsNo, match=r"0005.json.gz is the evidence of another trial than 5"):
        opened(folder, sentences.append)
