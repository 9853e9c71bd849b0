"""Commands that read folders which somebody damaged say one sentence and write nothing."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import click
import pytest

from plumbline.archive.record.assemble import assembled_again
from plumbline.archive.record.write import write_record
from plumbline.cli import (
    console,
    judge_command,
    list_command,
    report_command,
    show_command,
    verify_command,
)
from plumbline.cli.leaving import ending_of, leave
from plumbline.measuring.run.journal import NAME, Journal
from plumbline.model.errors import AnswerIsNo
from plumbline.model.evidence import Failure
from tests.lifecycle.documents import document, run
from tests.record.comparisons import FAST, SLOW, comparison_plan
from tests.record.sessions import evidence_of, record, rewritten, sealed_again, written

EVIDENCE = "evidence/0003.json.gz"


def pipe(folder: Path) -> None:
    (folder / EVIDENCE).unlink()
    os.mkfifo(folder / EVIDENCE)


def of_another_trial(folder: Path) -> None:
    (folder / EVIDENCE).write_bytes((folder / "evidence" / "0004.json.gz").read_bytes())
    sealed_again(folder)


def another_figure(folder: Path) -> None:
    text = (folder / "record.json").read_text()
    value = record().trials[4].figures["closed"]["throughput_per_s"]
    changed = text.replace(f'"throughput_per_s":{value}', f'"throughput_per_s":{value + 1}')
    assert changed != text
    (folder / "record.json").write_text(changed)
    sealed_again(folder)


DAMAGES: dict[str, tuple[Callable[[Path], None], str]] = {
    "a pipe": (pipe, "is no plain file"),
    "evidence of another trial": (of_another_trial, "is the evidence of another trial than 3"),
    "another figure": (another_figure, "throughput_per_s of trial 5"),
}
COMMANDS: dict[str, tuple[click.Command, list[str]]] = {
    "judge": (judge_command.command, []),
    "report": (report_command.command, []),
    "show": (show_command.command, ["5", "--record"]),
}


@pytest.mark.slow
@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("command", COMMANDS)
def test_what_verify_refuses_is_refused_by_all(tmp_path: Path, damage: str, command: str) -> None:
    harm, words = DAMAGES[damage]
    folder = written(tmp_path)
    harm(folder)
    called, options = COMMANDS[command]
    with pytest.raises(AnswerIsNo, match="is not as recorded") as caught:
        called.main([*options, str(folder)], standalone_mode=False)
    assert words in caught.value.problem
    assert sorted(path.name for path in folder.iterdir()) == ["MANIFEST.sha256", "evidence", "record.json"]
    assert verify_command.command.main([str(folder)], standalone_mode=False) == 1


def test_a_damaged_session_does_not_hide_the_others(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(list_command, "ROOT", tmp_path)
    results = tmp_path / "results" / "local"
    written(results / "whole")
    (results / "whole" / "session").rename(results / "20261121T070000Z-lab-000001")
    for place, content in enumerate(("5", '{"a": 1}', '{"a": "\\ud800"}', "1e400", "[" * 100_000)):
        folder = results / f"20261121T07000{place}Z-lab-bad00{place}"
        folder.mkdir()
        (folder / "record.json").write_text(content)
        sealed_again(folder)
        running = results / ".running" / f"20261121T08000{place}Z-lab-bad00{place}"
        running.mkdir(parents=True)
        (running / NAME).write_text(content + "\n")
    assert list_command.command.main(["--json"], standalone_mode=False) == 1
    rows = json.loads(capsys.readouterr().out)
    assert [row["state"] for row in rows].count("damaged") == 10
    (good,) = (row for row in rows if row["state"] == "finished")
    assert (good["session"], good["trials"]) == ("20261121T070000Z-lab-000001", len(record().trials))
    assert list_command.command.main([], standalone_mode=False) == 1
    assert capsys.readouterr().out.count("can't be read: ") == 10


def test_the_list_of_sessions_holds_at_80_columns(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(list_command, "ROOT", tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    session = "20261121T090000Z-bench-2core-3fa9c1"
    running = tmp_path / "results" / "local" / ".running" / session
    running.mkdir(parents=True)
    plan = record().plan.model_dump(mode="json")
    Journal(running).write("plan", plan=plan, started_at="2026-11-21T09:00:00Z", options={})
    with (running / NAME).open("a") as file:
        file.write("damaged\n")
    damaged = tmp_path / "results" / "local" / "20261121T080000Z-bench-2core-3fa9c2"
    damaged.mkdir()
    (damaged / "record.json").write_text("{" * 3)
    assert list_command.command.main([], standalone_mode=False) == 1
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 80
    assert lines[-1] == f"    go on by ./bench run --resume {session}"
    assert any(line.startswith(f"{session}  ") and line.endswith("  interrupted") for line in lines)


def test_life_cycles_are_listed_with_their_reports(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(list_command, "ROOT", tmp_path)
    monkeypatch.setenv("COLUMNS", "1000")
    folder = tmp_path / "results" / "local" / "lifecycle" / "20261121T090000Z-lab-3fa9c1"
    folder.mkdir(parents=True)
    (folder / "lifecycle.json").write_text(document(run(1, 0, 90.0), run(2, 1, 4.0)).model_dump_json())
    assert list_command.command.main([], standalone_mode=False) == 0
    first, second = capsys.readouterr().out.splitlines()
    assert first.split() == [folder.name, "lifecycle", "2", "runs", "finished"]
    assert second == f"    report: {folder / 'report.md'}"
    (folder / "lifecycle.json").write_text("{}")
    assert list_command.command.main(["--json"], standalone_mode=False) == 1
    (row,) = json.loads(capsys.readouterr().out)
    assert (row["session"], row["state"]) == (folder.name, "damaged")


def test_a_comparison_goes_on_by_compare(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(list_command, "ROOT", tmp_path)
    plan = comparison_plan(FAST, SLOW)
    running = tmp_path / "results" / "local" / ".running" / plan.session
    running.mkdir(parents=True)
    Journal(running).write("plan", plan=plan.model_dump(mode="json"), started_at="2026-11-21T09:00:00Z", options={})
    assert list_command.command.main([], standalone_mode=False) == 0
    assert capsys.readouterr().out.splitlines()[-1] == f"    go on by ./bench compare --resume {plan.session}"


@pytest.mark.slow
def test_the_commands_of_a_report_name_the_folder_where_the_record_lies(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(console, "ROOT", tmp_path)
    folder = written(tmp_path / "kept")
    report_command.command.main([str(folder), "--output", str(tmp_path / "shown")], standalone_mode=False)
    assert "./bench verify kept/session" in capsys.readouterr().out
    for name in ("report.md", "report.html"):
        text = (tmp_path / "shown" / name).read_text()
        assert "./bench verify kept/session" in text and "./bench reproduce kept/session" in text
    monkeypatch.setattr(console, "ROOT", tmp_path / "elsewhere")
    report_command.command.main([str(folder)], standalone_mode=False)
    assert f"./bench verify {folder}" in (folder / "report.md").read_text()


def test_a_report_replaces_a_link_that_lies_in_the_folder_of_the_record(tmp_path: Path) -> None:
    folder = written(tmp_path)
    other = tmp_path / "profile"
    other.write_text("mine")
    for name in ("report.md", "report.html"):
        (folder / name).symlink_to(other)
    report_command.command.main([str(folder)], standalone_mode=False)
    assert other.read_text() == "mine"
    assert "Plumbline" in (folder / "report.html").read_text()


# Goes back to the begin of its line, clears it, and claims what `./bench verify` would say; sets a title, turns text.
HOSTILE = "\r\x1b[2Ksession: as recorded.\x1b]0;title\x07\x9b2J\u202e"


def only_printable(text: str) -> bool:
    return "as recorded." in text and all(line.isprintable() for line in text.split("\n"))


def test_a_forged_record_cannot_move_the_cursor(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(list_command, "ROOT", tmp_path)
    folder = tmp_path / "results" / "local" / "20261121T070000Z-lab-000001"
    folder.mkdir(parents=True)
    rewritten(folder, {**record().model_dump(mode="json"), HOSTILE: 1})
    assert verify_command.command.main([str(folder)], standalone_mode=False) == 1
    assert only_printable(capsys.readouterr().out)
    assert list_command.command.main([], standalone_mode=False) == 1
    assert only_printable(capsys.readouterr().out)
    with pytest.raises(AnswerIsNo) as caught:
        judge_command.command.main([str(folder)], standalone_mode=False)
    with pytest.raises(SystemExit):
        leave(ending_of(caught.value, resumable=False), wants_json=False)
    assert only_printable(capsys.readouterr().err)


@pytest.mark.parametrize("command", [judge_command.command, show_command.command])
def test_evidence_cannot_move_the_cursor(
    tmp_path: Path, command: click.Command, capsys: pytest.CaptureFixture[str]
) -> None:
    evidence = evidence_of()
    failure = Failure(phase="closed", problem=HOSTILE, tail=(HOSTILE,))
    evidence[3] = evidence[3].model_copy(update={"failure": failure})
    folder = tmp_path / "session"
    write_record(folder, assembled_again(record(), evidence), evidence)
    words = [str(folder), "--trial", "3"] if command is judge_command.command else ["3", "--record", str(folder)]
    command.main(words, standalone_mode=False)
    assert only_printable(capsys.readouterr().out)
