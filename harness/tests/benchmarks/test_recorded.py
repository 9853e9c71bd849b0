"""results/repeats and results/families: sessions that anybody may check, and what docs/promises.md says of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from benchmarks import curves, refusals, repeats

from laboratory.promises.page import CURVES, PAGE, REFUSALS, REPEATS, part_of
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
    found = check(folder)
    assert (found.word, found.missing) == ("as recorded", ())


@pytest.mark.parametrize("folder", SESSIONS, ids=lambda folder: folder.name)
def test_no_packet_of_a_clean_trial_has_another_size(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """R16 allows three times what they were seen to differ by."""
    monkeypatch.setattr(r16_same_answers, "PACKET_BYTES_MAX", 0.009)
    again = assembled_again(*read_session(folder))
    readings = [one.reading for trial in again.trials for one in trial.findings if one.rule == "R16"]
    assert readings and not [one for one in readings if "loopback" in one]


@pytest.mark.parametrize(
    ("title", "text", "folders"),
    [
        (REPEATS, lambda its: repeats.text(repeats.repeated(its), its), [RECORDED]),
        (REFUSALS, refusals.text, [RECORDED, FAMILIES]),
        (CURVES, curves.text, [RECORDED, FAMILIES]),
    ],
)
def test_the_page_says_what_the_command_prints(
    title: str, text: Callable[[Sequence[Path]], str], folders: Sequence[Path]
) -> None:
    stands = part_of(PAGE.read_text(encoding="utf-8"), title)
    assert stands.strip() == f"## {title}\n\n{text(folders).strip()}"
