"""The gate: the word on a record of any versions, and what today's rules say beside it."""

from __future__ import annotations

from pathlib import Path

import pytest

from plumbline.judge.referee import RULES_VERSION
from plumbline.model.errors import UsageError
from plumbline.model.record import Record
from plumbline.record.gate import Checked, check, check_all
from tests.record.sessions import record, rewritten, written


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
    # Today's rules judge it all the same, and here as the record does.
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
    assert [(one.trial, one.then, one.now) for one in found.otherwise] == [(row["number"], "invalid", now)]


def test_an_older_record_that_was_changed_is_changed(tmp_path: Path) -> None:
    folder = written(tmp_path)
    of_rules(folder, RULES_VERSION + 1)
    (folder / "evidence" / "0003.json.gz").write_bytes(b"")
    found = check(folder)
    assert found.word == "changed" and found.today is None
    assert found.difference is not None and found.difference.file == "evidence/0003.json.gz"


def test_many_records_below_a_folder(tmp_path: Path) -> None:
    one, other = written(tmp_path / "2026" / "b"), written(tmp_path / "2026" / "a")
    (one / "record.json").unlink()
    (tmp_path / ".running").mkdir()
    (tmp_path / ".running" / "record.json").write_text("{}")

    def words(results: tuple[Checked, ...]) -> list[tuple[Path, str]]:
        return [(result.folder, result.word) for result in results]

    assert words(check_all(tmp_path)) == [(other, "as recorded"), (one, "changed")]
    assert words(check_all(other)) == [(other, "as recorded")]


def test_nothing_to_verify(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no record at or below"):
        check_all(tmp_path)
