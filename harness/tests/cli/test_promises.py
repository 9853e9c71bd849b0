"""The page of promises: its table, and which real trials it takes."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from plumbline.cli import promises
from plumbline.cli.promises import table
from plumbline.cli.test_command import command
from plumbline.model.errors import UsageError
from plumbline.stats.promises.measured import Measured


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
        "| equal sides are flagged | at most 1.2% | 1.00% | **2.00%** |",
        "| covers | 94% to 96% | 95.00% | 99.00% |",
    ]


def test_the_option_measures_and_runs_no_check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Path | None] = []

    def broken(page: Path, record: Path | None) -> bool:
        assert page.name == "promises.md"
        asked.append(record)
        return False

    monkeypatch.setattr(promises, "write_promises", broken)
    arguments = ["--promises", "--record", str(tmp_path)]
    ended = CliRunner().invoke(command, arguments, standalone_mode=False, catch_exceptions=False)
    assert (ended.return_value, asked) == (1, [tmp_path])


def test_a_record_goes_with_promises(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--record goes with --promises"):
        CliRunner().invoke(
            command, ["--record", str(tmp_path)], standalone_mode=False, catch_exceptions=False
        )


def test_the_page_is_written_from_what_was_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(promises, "JOBS", 60)
    page = tmp_path / "promises.md"
    kept = promises.write_promises(page, None)
    text = page.read_text(encoding="utf-8")
    assert "60 simulated sessions" in text
    assert "| promised | iid | drift | carry-over | bursts |" in text
    assert kept == ("**" not in text)
