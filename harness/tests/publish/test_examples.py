"""results/examples: real sessions that anybody may check, and that a site can be made of."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from plumbline.archive.record.layout import require_whole
from plumbline.archive.record.read import parse_record
from plumbline.reporting.publish.assets import read_assets
from plumbline.reporting.publish.publish import PublishOptions, publish
from tests.record.sessions import rewritten, sealed_again
from .data import ROOT, published
from .plain_assets import plain_assets

pytestmark = pytest.mark.slow

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
    assert any({"invalid", "advisory"} <= {trial.verdict for trial in record.trials} for record in records)


def test_they_make_a_site(tmp_path: Path) -> None:
    site = published(EXAMPLES, tmp_path / "out")
    assert (site.sessions, site.left_out, site.evidence, site.simulated) == (len(SESSIONS), (), (), False)
    hosts = json.loads((tmp_path / "out/api/v1/hosts.json").read_bytes())["hosts"]
    records = [parse_record((folder / "record.json").read_bytes()) for folder in SESSIONS]
    read_hosts = {record.host.name for record in records if record.host.readings}
    assert {host["name"] for host in hosts if host["doctor"]} == read_hosts
    for run in (json.loads(path.read_bytes()) for path in (tmp_path / "out/api/v1/runs").glob("*.json")):
        page = (tmp_path / "out/run" / run["session"] / "index.html").read_text(encoding="utf-8")
        changed_trials = [trial for trial in run["trials"] if trial["today"] not in (None, trial["verdict"])]
        assert page.count("(today: ") == len(changed_trials), run["session"]


def test_no_page_shows_raw_markup_and_one_of_a_thing_reads_as_one(tmp_path: Path) -> None:
    plain_assets(tmp_path / "assets")
    assets = read_assets(ROOT / "site" / "templates", tmp_path / "assets" / "dist")
    options = PublishOptions(checkout=ROOT, assets=assets, processes=1)
    assert publish(ROOT / "results" / "families", tmp_path / "out", options).sessions == 1
    pages = {path: path.read_text(encoding="utf-8") for path in (tmp_path / "out").rglob("*.html")}
    assert any("<code>./bench run --prove</code>" in page for page in pages.values())
    for path, page in pages.items():
        shown = re.sub(r"<(head|pre)\b.*?</\1>", "", page, flags=re.DOTALL)
        assert "`" not in re.sub(r"<[^>]*>", "", shown), path
    assert "The one record is shown" in pages[tmp_path / "out/integrity/index.html"]
    assert "1 session." in pages[tmp_path / "out/runs/index.html"]


def harmed(tmp_path: Path) -> Path:
    folder = tmp_path / "data" / "session"
    shutil.copytree(next(folder for folder in SESSIONS if "329d81" in folder.name), folder)
    return folder


def test_a_measured_session_whose_figures_do_not_follow_is_left_out_by_the_rules_of_its_day(
    tmp_path: Path,
) -> None:
    folder = harmed(tmp_path)
    document = json.loads((folder / "record.json").read_bytes())
    document["trials"][2]["verdict"] = "valid"
    rewritten(folder, document)
    site = published(tmp_path / "data", tmp_path / "out")
    assert site.sessions == 0
    ((cause, problem),) = ((omission.cause, omission.problem) for omission in site.left_out)
    assert cause == "changed" and "verdict of trial 3 is recorded as" in problem


def test_evidence_of_another_trial_is_not_shown(tmp_path: Path) -> None:
    folder = harmed(tmp_path)
    (folder / "evidence" / "0003.json.gz").write_bytes((folder / "evidence" / "0004.json.gz").read_bytes())
    sealed_again(folder)
    site = published(tmp_path / "data", tmp_path / "out")
    (omission,) = site.evidence
    assert "0003.json.gz is the evidence of another trial than 3" in omission.problem
