"""results/repeats and results/families: sessions that anybody may check, and what docs/promises.md says of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from benchmarks import curves, refusals, repeats, verdicts

from laboratory.promises.page import CURVES, HABITS, PAGE, REFUSALS, REPEATS, part_of
from plumbline.archive.record.assemble import assembled_again
from plumbline.archive.record.gate import check
from plumbline.archive.record.read import read_record, read_session
from plumbline.cli.console import ROOT
from plumbline.verdicts.judge.rules import r16_same_answers

pytestmark = pytest.mark.slow

RECORDED = ROOT / "results" / "repeats"
FAMILIES = ROOT / "results" / "families"
REPEATED = sorted(path.parent for path in RECORDED.rglob("record.json"))
SESSIONS = [*REPEATED, *sorted(path.parent for path in FAMILIES.rglob("record.json"))]


def test_all_are_default_runs_of_one_clean_commit() -> None:
    records = [read_record(folder) for folder in REPEATED]
    assert len(records) >= 5
    assert {record.plan.suite for record in records} == {"stacks"}
    assert len({record.provenance.commit for record in records}) == 1
    assert not any(record.provenance.dirty or record.plan.simulated for record in records)


@pytest.mark.parametrize("folder", SESSIONS, ids=lambda folder: folder.name)
def test_each_is_as_recorded(folder: Path) -> None:
    verdict = check(folder)
    assert (verdict.word, verdict.missing) == ("as recorded", ())


@pytest.mark.parametrize("folder", SESSIONS, ids=lambda folder: folder.name)
def test_no_packet_of_a_clean_trial_has_another_size(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """R16 allows three times the difference that was seen between clean trials."""
    monkeypatch.setattr(r16_same_answers, "PACKET_BYTES_MAX", 0.009)
    record = assembled_again(*read_session(folder))
    readings = [finding.reading for trial in record.trials for finding in trial.findings if finding.rule == "R16"]
    assert readings and not [reading for reading in readings if "loopback" in reading]


@pytest.mark.parametrize(
    ("title", "text", "folders"),
    [
        (REPEATS, lambda folders: repeats.text(repeats.repeated(folders), folders), [RECORDED]),
        (REFUSALS, refusals.text, [RECORDED, FAMILIES]),
        (CURVES, curves.text, [RECORDED, FAMILIES]),
    ],
)
def test_the_page_says_what_the_command_prints(
    title: str, text: Callable[[Sequence[Path]], str], folders: Sequence[Path]
) -> None:
    part = part_of(PAGE.read_text(encoding="utf-8"), title)
    assert part.strip() == f"## {title}\n\n{text(folders).strip()}"


def test_the_page_names_the_processes_that_habits_are_replayed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    # The table itself takes minutes.
    monkeypatch.setattr(verdicts, "measured", lambda *_: [])
    paragraph, _, _ = verdicts.replayed([RECORDED], verdicts.JOBS).partition("\n\n")
    assert part_of(PAGE.read_text(encoding="utf-8"), HABITS).startswith(f"\n## {HABITS}\n\n{paragraph}\n\n")
