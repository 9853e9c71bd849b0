"""What commands write to a terminal: colours, width, units and words."""

from __future__ import annotations

import io
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner
from rich.console import Console

from plumbline.archive.record.gate import ChangedVerdict, Checked, Today
from plumbline.archive.record.read import read_record
from plumbline.cli import bench, console, explain_command, show_command, verify_command
from plumbline.cli.progress import TerminalProgress
from tests.record.sessions import record, written
from .calling import ROOT

EXAMPLE = ROOT / "results" / "examples" / "20261121T204036Z-vm-8ed53f"


@pytest.mark.parametrize(("value", "expected"), [(None, True), ("", True), ("1", False)])
def test_no_color_counts(value: str | None, expected: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.delenv("NO_COLOR", raising=False)
    if value is not None:
        monkeypatch.setenv("NO_COLOR", value)
    assert console.colour() is expected


def progress_of(width: int, *, terminal: bool) -> tuple[TerminalProgress, io.StringIO]:
    text = io.StringIO()
    progress = TerminalProgress()
    progress._console = Console(
        file=text, width=width, force_terminal=terminal, color_system=None, highlight=False, _environ={}
    )
    return progress, text


def tell(progress: TerminalProgress) -> None:
    trial = (
        record()
        .plan.trials[0]
        .model_copy(update={"subject": "quarkus-rest-orm-virtual/native.mandrel-25/pg+db-tls=require+pool=100"})
    )
    progress.say("builds " + "a very long name " * 8)
    progress.trial_began(trial, 120, 200, 4000.0)
    progress.phase_began("closed")
    progress.trial_ended(trial, "first response 1.24 s, warm after 30 s of load, 4,870 requests/s", None)
    progress.trial_ended(trial, "", "because " + "the application said no " * 8)
    progress.trial_began(trial, 120, 200, 4000.0)


def test_progress_holds_at_80_columns() -> None:
    progress, text = progress_of(80, terminal=True)
    tell(progress)
    assert len(progress._line().plain) <= 80
    assert "closed" in progress._line().plain
    lines = text.getvalue().splitlines()
    assert max(map(len, lines)) <= 80
    text_said = " ".join(" ".join(lines).split())
    assert "warm after 30 s of load, 4,870 requests/s" in text_said
    assert "pool=100" in text_said.replace("- ", "-").replace(" ", "")


def test_a_log_has_one_line_for_each_step() -> None:
    progress, text = progress_of(80, terminal=False)
    tell(progress)
    assert len(text.getvalue().splitlines()) == 3


def test_words_of_a_record_cannot_move_the_cursor() -> None:
    progress, text = progress_of(80, terminal=False)
    with progress:
        progress.say("CPU \x1b[2J\rof theirs \x9b2J")
    (line,) = text.getvalue().splitlines()
    assert line.isprintable() and "of theirs" in line


def test_a_trial_says_units_and_words_what_tells_against_it_first(tmp_path: Path) -> None:
    folder = written(tmp_path)
    row = next(trial for trial in record().trials if trial.verdict != "valid" and trial.figures)
    result = CliRunner().invoke(show_command.command, [str(row.number), "--record", str(folder)], standalone_mode=False)
    lines = result.stdout.splitlines()
    assert "Throughput " in result.stdout and " /s" in result.stdout and "throughput_per_s" not in result.stdout
    refusal_places = [
        place for place, line in enumerate(lines) if line.startswith(("  refused", "  in doubt", "  unknown"))
    ]
    passed = next(place for place, line in enumerate(lines) if line.startswith("  passed: R"))
    figures = next(place for place, line in enumerate(lines) if line.startswith("  Throughput "))
    assert refusal_places and max(refusal_places) < passed < figures


def test_findings_of_a_trial_break_between_words_at_the_edge_of_the_terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = written(tmp_path)
    row = next(trial for trial in record().trials if trial.verdict != "valid" and trial.figures)
    findings_at_width = {}
    for width in (60, 2000):
        monkeypatch.setenv("COLUMNS", str(width))
        result = CliRunner().invoke(
            show_command.command, [str(row.number), "--record", str(folder)], standalone_mode=False
        )
        findings_at_width[width] = result.stdout.partition("Verdict: ")[2].partition("\n\n")[0].splitlines()[1:]
    assert len(findings_at_width[60]) > len(findings_at_width[2000]) and max(map(len, findings_at_width[2000])) > 60
    assert max(map(len, findings_at_width[60])) <= 60
    assert " ".join(" ".join(findings_at_width[60]).split()) == " ".join(" ".join(findings_at_width[2000]).split())


@pytest.mark.slow
def test_times_of_one_start_have_one_unit() -> None:
    """Once the first response was shown in seconds, and the healthy moment before it in thousands of milliseconds."""
    result = CliRunner().invoke(show_command.command, ["3", "--record", str(EXAMPLE)], standalone_mode=False)
    start = result.stdout.partition("\nstart\n")[2].partition("\n\n")[0].splitlines()
    units = {line.split()[-1] for line in start if "Memory" not in line}
    assert len(start) > 3 and units == {"s"}


@pytest.mark.slow
def test_without_a_number_the_trials_of_a_session_are_listed() -> None:
    result = CliRunner().invoke(show_command.command, ["--record", str(EXAMPLE)], standalone_mode=False)
    first, *rows, last = result.stdout.splitlines()
    trials = read_record(EXAMPLE).trials
    assert first == f"Trials of {EXAMPLE.name}, suite smoke:"
    assert [int(row.split()[0]) for row in rows] == [trial.number for trial in trials]
    refused = [row for row in rows if "refused by R" in row]
    assert [int(row.split()[0]) for row in refused] == [trial.number for trial in trials if trial.verdict == "invalid"]
    assert last == f"One of them: ./bench show NUMBER --record {EXAMPLE}"


@pytest.mark.parametrize("width", [60, 80])
def test_a_rule_is_explained_within_the_terminal(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    result = CliRunner().invoke(explain_command.command, ["R16"], standalone_mode=False)
    lines = result.stdout.splitlines()
    assert len(lines) > 20 and max(map(len, lines)) <= width


def test_one_of_a_thing_reads_as_one() -> None:
    checked = Checked(
        folder=Path("a"),
        word="as recorded",
        rules=22,
        figures_version=5,
        files=1,
        trials=1,
        figures=1,
        findings=1,
    )
    counts = "1 file by digest; 1 figure and 1 check result of 1 trial"
    sentence = f"a: as recorded. {counts} recomputed by rules 22 and figures 5."
    assert list(verify_command.lines(checked)) == [sentence]
    today = Today(rules=30, figures=6, otherwise=(ChangedVerdict(7, "valid", "invalid", "R7"),))
    *_, last = verify_command.lines(replace(checked, trials=12, today=today))
    assert last == "    Today's rules (30): 1 of 12 trials is judged otherwise: 7 invalid, was valid (R7)."


def test_one_subject_under_one_scenario_reads_as_english() -> None:
    words = ["plan", "--only", "vertx-pg/jvm/pg", "--scenario", "fruits", "--blocks", "1"]
    result = CliRunner().invoke(bench, words, standalone_mode=False)
    assert "1 subject under 1 scenario in 1 block: 1 trial, and " in result.stdout
