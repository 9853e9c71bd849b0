"""The page of promises: its table, and which real trials it is made from."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from click.testing import CliRunner

from laboratory.promises import write as promises
from laboratory.promises.measured import Measured
from laboratory.promises.write import table
from laboratory.test_command import command
from plumbline.model.errors import UsageError
from tests.history.nights import keep
from tests.history.test_within import equal

pytestmark = pytest.mark.slow


def test_a_broken_promise_is_bold() -> None:
    rows = [
        Measured("equal sides are flagged", "iid", 100, 0.01, 0.0, 0.012),
        Measured("equal sides are flagged", "drift", 100, 0.02, 0.0, 0.012),
        Measured("covers", "iid", 100, 0.95, 0.94, 0.96),
        Measured("covers", "drift", 100, 0.99, 0.988, 1.0),
    ]
    assert [row.kept for row in rows] == [True, False, True, True]
    assert table(rows, promised=True).splitlines() == [
        "|  | promised | iid | drift |",
        "| --- | ---: | ---: | ---: |",
        "| equal sides are flagged | at most 1.2 % | 1.00 % | **2.00 %** |",
        "| covers | 94 % to 96 % | 95.00 % | 99.00 % |",
    ]


def test_the_option_measures_and_runs_no_check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data_folders: list[Path | None] = []

    def broken(page: Path, data: Path | None) -> bool:
        assert page.name == "promises.md"
        data_folders.append(data)
        return False

    monkeypatch.setattr(promises, "write_promises", broken)
    arguments = ["--promises", "--records", str(tmp_path)]
    result = CliRunner().invoke(command, arguments, standalone_mode=False, catch_exceptions=False)
    assert (result.return_value, data_folders) == (1, [tmp_path])


def test_records_go_with_promises(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--records goes with --promises"):
        CliRunner().invoke(command, ["--records", str(tmp_path)], standalone_mode=False, catch_exceptions=False)


def test_the_page_is_written_from_what_was_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(promises, "JOBS", 60)
    page = tmp_path / "promises.md"
    kept = promises.write_promises(page, None)
    text = page.read_text(encoding="utf-8")
    assert "60 simulated sessions" in text
    assert "| promised | iid | drift | carry-over | bursts |" in text
    assert "| promised | noise of 1 % | 3 % | 8 % |" in text
    assert "a fall of 5 % reverses an order (" in text
    for words in ("false candidates per 1,000 series-nights", "median nights until a step of 2 % is found"):
        assert f"| {words} | at most " in text
    assert "| 2.0 % from night to night, independent | 5.0 % from night to night, independent | 1.0 %" in text
    assert kept == ("**" not in text)


def test_numbers_are_no_shares() -> None:
    rows = [
        Measured("false candidates", "1%", 10, 0.0804, 0.0, 1.0, is_number=True),
        Measured("median nights", "1%", 10, 6.0, 0.0, 5.0, is_number=True),
    ]
    assert table(rows, promised=True).splitlines()[2:] == [
        "| false candidates | at most 1 | 0.0804 |",
        "| median nights | at most 5 | **6** |",
    ]


def test_trials_of_the_records_of_a_folder_are_one_noise_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for night in range(3):
        keep(tmp_path / "data", equal(night, random.Random(night)))
    groups = promises.trial_groups(promises.records_below(tmp_path / "data"))
    assert [len(group) for group in groups] == [12, 12, 12]
    monkeypatch.setattr(promises, "JOBS", 60)
    promises.write_promises(tmp_path / "promises.md", tmp_path / "data")
    text = (tmp_path / "promises.md").read_text(encoding="utf-8")
    assert "| promised | iid | drift | carry-over | bursts | trials of real sessions |" in text


def test_a_folder_that_tells_nothing_is_refused(tmp_path: Path) -> None:
    keep(tmp_path, equal(1, random.Random(1), blocks=3))
    with pytest.raises(UsageError, match="subject with 4 trials"):
        promises.write_promises(tmp_path / "promises.md", tmp_path)


def test_made_up_sessions_are_no_real_trials(tmp_path: Path) -> None:
    record = equal(1, random.Random(1))
    keep(tmp_path, record.model_copy(update={"plan": record.plan.model_copy(update={"simulated": True})}))
    with pytest.raises(UsageError, match="no record of a real session"):
        promises.records_below(tmp_path)


def test_too_few_trials_are_refused(tmp_path: Path) -> None:
    keep(tmp_path, equal(1, random.Random(1), blocks=3))
    with pytest.raises(UsageError, match="subject with 4 trials"):
        promises.trial_groups(promises.records_below(tmp_path))


def test_only_sessions_long_enough_are_taken_without_being_named(tmp_path: Path) -> None:
    assert not promises.can_be_resampled(tmp_path / "nowhere")
    keep(tmp_path / "short", equal(1, random.Random(1), blocks=3))
    assert not promises.can_be_resampled(tmp_path / "short")
    keep(tmp_path / "long", equal(1, random.Random(1)))
    assert promises.can_be_resampled(tmp_path / "long")
