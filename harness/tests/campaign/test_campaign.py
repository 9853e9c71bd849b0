"""The campaign's own workflow on this machine, from a tag to a data branch that verifies."""

from __future__ import annotations

import json
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from .machine import REPOSITORY, TAG, Forge, git, make_forge


@pytest.fixture(scope="module")
def forge(tmp_path_factory: pytest.TempPathFactory) -> Forge:
    found = make_forge(tmp_path_factory.mktemp("forge"))
    found.run("campaign.yml", "push", {"ref": f"refs/tags/{TAG}", "ref_name": TAG})
    return found


@pytest.fixture(scope="module")
def data(forge: Forge) -> Path:
    folder = forge.folder / "read"
    git(forge.folder, "clone", "--quiet", "--branch", "data", str(forge.data), str(folder))
    return folder


def test_the_session_is_on_the_data_branch_once(data: Path) -> None:
    (record,) = data.glob("runs/*/*/*/record.json")
    found = json.loads(record.read_text())
    assert found["plan"]["suite"] == "campaign"
    assert [trial["role"] for trial in found["trials"]].count("measured") == 2
    assert (record.parent / "MANIFEST.sha256").is_file()
    assert (data / "README.md").is_file()


def test_it_verifies(forge: Forge, data: Path) -> None:
    words = [sys.executable, str(forge.checkout / "harness"), "verify", str(data)]
    ended = subprocess.run(words, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert "verified." in ended.stdout


def test_what_was_measured_is_what_was_built(forge: Forge, data: Path) -> None:
    (record,) = data.glob("runs/*/*/*/record.json")
    measured = {build["artifact"]: build["sha256"] for build in json.loads(record.read_text())["builds"]}
    packed = {}
    for path in forge.artifacts.glob("pack-head-*/*.tar"):
        with tarfile.open(path) as tar:
            stated = tar.extractfile("build.json")
            assert stated is not None
            build = json.load(stated)
        packed[build["artifact"]] = build["sha256"]
    assert len(packed) == 2 and measured == packed


def test_the_points_are_kept_and_the_pages_made(forge: Forge, data: Path) -> None:
    for name in ("bigger", "smaller"):
        entries = json.loads((data / f"github-action-benchmark/{name}.json").read_text())["entries"]
        assert all(entry["benches"] for found in entries.values() for entry in found)
    assert (forge.artifacts / "pages/index.html").is_file()


def test_the_session_is_an_artifact_as_well(forge: Forge) -> None:
    assert list(forge.artifacts.glob("session/*/record.json"))


def test_nothing_went_to_the_forge_but_the_data_branch(forge: Forge) -> None:
    refs = git(forge.data, "for-each-ref", "--format=%(refname)").split()
    assert sorted(refs) == ["refs/heads/data", "refs/heads/main"]
    assert REPOSITORY in git(forge.checkout, "remote", "get-url", "origin")
