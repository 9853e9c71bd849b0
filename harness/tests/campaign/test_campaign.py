"""A tag, from its push to pages: what was built is what was signed, measured, pushed and published."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from plumbline.measuring.build.packs import read_build
from .act import Machine, Run
from .checkout import REPOSITORY, data_of, git
from .story import TAG, images, of_artifacts


@pytest.fixture(scope="module")
def data(machine: Machine, tagged: Run) -> Path:
    return data_of(machine.folder, machine.hub.bare)


def record_of(machine: Machine, run: Run) -> dict[str, Any]:
    (path,) = (machine.artifacts / str(run.number) / "session-hosted").glob("*/record.json")
    record: dict[str, Any] = json.loads(path.read_text())
    return record


def test_the_session_is_on_the_data_branch_and_verifies(machine: Machine, tagged: Run, data: Path) -> None:
    record = record_of(machine, tagged)
    (path_on_branch,) = data.glob(f"runs/*/*/{record['plan']['session']}/record.json")
    assert record["plan"]["suite"] == "campaign-hosted"
    assert {scenario["scale"] for scenario in record["plan"]["scenarios"]} == {0.01}
    assert json.loads(path_on_branch.read_text()) == record
    words = [sys.executable, str(machine.sources / "harness"), "verify", str(path_on_branch.parent)]
    ended = subprocess.run(words, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stdout + ended.stderr


def test_what_was_built_is_what_was_signed_measured_and_pushed(machine: Machine, tagged: Run) -> None:
    packs = list((machine.artifacts / str(tagged.number)).glob("pack-head-*/*.tar"))
    assert {path.name for path in packs} == {"control-jvm-pg.tar", "vertx-pg-jvm-pg.tar"}
    builds = {read_build(path).artifact: read_build(path).sha256 for path in packs}
    measured = {build["artifact"]: build["sha256"] for build in record_of(machine, tagged)["builds"]}
    assert measured == builds
    digests = {hashlib.sha256(path.read_bytes()).hexdigest() for path in packs}
    assert digests < set((machine.artifacts / "attested").read_text().split())
    assert set(of_artifacts(machine).values()) == digests
    assert all(name.startswith("ghcr.io/") for name in of_artifacts(machine))


def test_observers_of_the_tag_are_also_the_latest(machine: Machine, tagged: Run) -> None:
    observers = images(machine).keys() - of_artifacts(machine).keys()
    assert observers == {f"ghcr.io/{REPOSITORY}/observer:{tag}" for tag in (TAG, "latest")}


def test_pages_points_and_logs_are_kept(machine: Machine, tagged: Run, data: Path) -> None:
    # A figure that is not proven steady gives no point, and so short a session proves no throughput.
    (points,) = (data / "github-action-benchmark").iterdir()
    entries = json.loads(points.read_text())["entries"]
    assert points.name == "smaller.json" and set(entries) == {"latency, memory, start"}
    (of_the_tag,) = entries["latency, memory, start"]
    assert of_the_tag["commit"] == {"id": git(machine.sources, "rev-parse", TAG).strip()}
    assert (machine.artifacts / "deployed/index.html").is_file()
    (release,) = machine.hub.releases
    assert release["assets"] and all(asset["name"].endswith(".tar.gz") for asset in release["assets"])


def test_nobody_asked_without_the_token_and_nothing_else_was_pushed(machine: Machine, tagged: Run) -> None:
    assert machine.hub.unauthorized == []
    heads = git(machine.hub.bare, "for-each-ref", "--format=%(refname:lstrip=2)", "refs/heads").split()
    assert {"main", "data"} <= set(heads) <= {"main", "data", "versions/vertx"}
    assert git(machine.hub.bare, "rev-parse", "main") == git(machine.sources, "rev-parse", "HEAD")
