"""`./bench ci record` and `index`: a session lands on the data branch."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from plumbline.archive.data.landing import land_session
from tests.change.checkout import git
from tests.data.remotes import bare, log, session
from tests.data.test_landing import branch_of
from .job import Checkout, fresh_session

pytestmark = pytest.mark.slow


def test_a_session_lands_and_lands_again(checkout: Checkout, tmp_path: Path) -> None:
    remote = bare(tmp_path / "remote")
    folder, path = fresh_session(tmp_path)
    first_landing = checkout.bench("ci", "record", str(folder), "--remote", str(remote))
    assert first_landing.status == 0, first_landing.err
    assert first_landing.outputs["landed"] == "new" and first_landing.outputs["path"] == path
    manifest = hashlib.sha256((folder / "MANIFEST.sha256").read_bytes()).hexdigest()
    again = checkout.bench("ci", "record", str(folder), "--remote", str(remote))
    assert again.outputs["landed"] == "already" and len(log(remote)) == 1
    assert first_landing.outputs["manifest"] == again.outputs["manifest"] == manifest
    foreign = checkout.bench("ci", "record", str(folder), "--remote", str(remote), "--commit", "f" * 40)
    assert foreign.status == 1 and "belongs to another run" in foreign.err
    copy = checkout.bench("ci", "data", str(tmp_path / "copy"), "--remote", str(remote))
    assert copy.outputs["commit"] == first_landing.outputs["commit"]
    landed_names = sorted(path.name for path in (tmp_path / "copy" / first_landing.outputs["path"]).iterdir())
    assert landed_names == ["MANIFEST.sha256", "record.json"]
    assert checkout.bench("ci", "index", str(tmp_path / "copy"), "--check").status == 0
    assert checkout.bench("ci", "sample", str(tmp_path / "copy")).out == "1 of 1 sessions checked, 1 as recorded.\n"
    assert (tmp_path / "copy" / first_landing.outputs["path"] / "evidence").is_dir()
    assert checkout.bench("ci", "index", str(tmp_path / "copy")).out == "1 indexes made.\n"
    assert git(tmp_path / "copy", "status", "--short") == ""


def test_a_report_beside_an_older_session_is_not_kept(checkout: Checkout, tmp_path: Path) -> None:
    remote = bare(tmp_path / "remote")
    folder, path = fresh_session(tmp_path)
    (folder / "doctor.json").write_bytes(b"{}")
    assert checkout.bench("ci", "record", str(folder), "--remote", str(remote)).status == 0
    names = git(remote, "ls-tree", "-r", "--name-only", "data").split()
    assert f"{path}/record.json" in names and not [name for name in names if "doctor" in name]


def test_a_session_that_does_not_land_says_the_one_command(checkout: Checkout, tmp_path: Path) -> None:
    remote = bare(tmp_path / "remote", "#!/bin/sh\nexit 1\n")
    folder, _ = fresh_session(tmp_path)
    ended = checkout.bench("ci", "record", str(folder), "--remote", str(remote), "--tries", "1")
    assert ended.status == 3
    command = f"./bench ci record {folder} --remote {remote} --branch data"
    assert command in ended.summary and command in ended.err


def test_no_data_branch_yet(checkout: Checkout, tmp_path: Path) -> None:
    remote = bare(tmp_path / "remote")
    ended = checkout.bench("ci", "data", str(tmp_path / "copy"), "--remote", str(remote), "--newest", "90")
    assert ended.status == 0 and ended.outputs == {"commit": ""}
    assert list((tmp_path / "copy").iterdir()) == []
    assert checkout.bench("ci", "heartbeat", str(tmp_path / "copy")).status == 1


@pytest.mark.parametrize("newest", [2, 90])
def test_a_copy_has_the_evidence_of_the_newest_sessions_alone(checkout: Checkout, tmp_path: Path, newest: int) -> None:
    remote = bare(tmp_path / "remote")
    sessions = [session(number) for number in range(3)]
    for landing in sessions:
        land_session(branch_of(remote), *landing)
    names = sorted(record.plan.session for record, _ in sessions)
    ended = checkout.bench("ci", "data", str(tmp_path / "copy"), "--remote", str(remote), "--newest", str(newest))
    assert ended.status == 0, ended.err
    folders = {path.parent.name for path in (tmp_path / "copy").rglob("evidence")}
    assert folders == set(names[-newest:])


def test_an_index_that_is_not_what_the_records_say(checkout: Checkout, tmp_path: Path) -> None:
    remote = bare(tmp_path / "remote")
    land_session(branch_of(remote), *session(0))
    land_session(branch_of(remote), *session(1))
    checkout.bench("ci", "data", str(tmp_path / "copy"), "--remote", str(remote))
    index = tmp_path / "copy" / "runs" / "2026" / "09" / "index.json"
    index.write_bytes(index.read_bytes().replace(b'"lab"', b'"lob"', 1))
    ended = checkout.bench("ci", "index", str(tmp_path / "copy"), "--check")
    assert ended.status == 1 and "runs/2026/09/index.json is not what the records say" in ended.out
    assert checkout.bench("ci", "index", str(tmp_path / "copy")).status == 0
    assert checkout.bench("ci", "index", str(tmp_path / "copy"), "--check").status == 0
    # The present index is not needed where all evidence is there.
    checkout.bench("ci", "data", str(tmp_path / "whole"), "--remote", str(remote), "--evidence", "*")
    index = tmp_path / "whole" / "runs" / "2026" / "09" / "index.json"
    for damaged in ("{", '{"sessions": 1}', "[" * 100_000):
        index.write_text(damaged)
        assert checkout.bench("ci", "index", str(tmp_path / "whole")).status == 0
        assert checkout.bench("ci", "index", str(tmp_path / "whole"), "--check").status == 0
