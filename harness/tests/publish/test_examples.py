"""results/examples: real sessions that anybody may check, and that make a site."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from plumbline.record.layout import require_whole
from plumbline.record.read import parse_record
from .data import ROOT, published

EXAMPLES = ROOT / "results" / "examples"
SESSIONS = sorted(path.parent for path in EXAMPLES.rglob("record.json"))


def test_there_are_some() -> None:
    assert len(SESSIONS) >= 3


@pytest.mark.parametrize("folder", SESSIONS, ids=lambda folder: folder.name)
def test_each_is_real_whole_and_small(folder: Path) -> None:
    record = parse_record((folder / "record.json").read_bytes())
    assert not record.plan.simulated
    assert record.provenance.commit and not record.provenance.dirty
    assert require_whole(folder) == len(record.trials) + 1
    assert sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) < 400_000
    assert f"`{folder.name}`" in (EXAMPLES / "README.md").read_text(encoding="utf-8")


def test_one_is_invalid_in_part() -> None:
    records = [parse_record((folder / "record.json").read_bytes()) for folder in SESSIONS]
    assert any({"invalid", "advisory"} <= {trial.verdict for trial in one.trials} for one in records)


def test_they_make_a_site(tmp_path: Path) -> None:
    done = published(EXAMPLES, tmp_path / "out")
    assert (done.sessions, done.left_out, done.evidence, done.simulated) == (len(SESSIONS), (), (), False)
    hosts = json.loads((tmp_path / "out/api/v1/hosts.json").read_bytes())["hosts"]
    records = [parse_record((folder / "record.json").read_bytes()) for folder in SESSIONS]
    read = {one.host.name for one in records if one.host.readings}
    assert {one["name"] for one in hosts if one["doctor"]} == read
