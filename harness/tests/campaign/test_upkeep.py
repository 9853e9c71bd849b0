"""What runs by itself beside campaigns, and what a maintainer runs again; and how each fails."""

from __future__ import annotations

import json
import shutil

from plumbline.build.packs import stated
from .act import Machine, Run
from .checkout import data_of, git


def test_a_push_is_checked(checked: Run) -> None:
    assert checked.names == {"ci.yml:test", "ci.yml:workflows", "ci.yml:images"}


def test_a_monday_starts_a_night_of_equal_sides_and_finds_all_in_order(
    machine: Machine, maintained: Run
) -> None:
    assert maintained.names == {"maintenance.yml:a-a", "maintenance.yml:data", "maintenance.yml:pins"}
    started = [inputs for name, _, inputs in machine.hub.dispatched if name == "campaign.yml"]
    assert {"suite": "aa", "note": "weekly A/A"} in started
    assert "1 of 1 sessions checked, 1 as recorded." in maintained.text


def test_a_tuesday_proposes_a_version_and_has_it_measured(machine: Machine, raised: Run) -> None:
    (pull,) = [one for one in machine.hub.pulls.values() if one["head"]["ref"] == "versions/vertx"]
    assert pull["title"] == "vertx 5.0.10 -> 5.0.99"
    assert "<vertx.version>5.0.99<" in git(machine.hub.bare, "show", "versions/vertx:apps/pom.xml")
    assert ("pr.yml", "versions/vertx", {}) in machine.hub.dispatched


def test_pages_are_made_again_at_any_time(machine: Machine, published: Run) -> None:
    assert published.job("_publish.yml:deploy").passed
    assert (machine.artifacts / "deployed/index.html").is_file()


def recorded(machine: Machine, tagged: Run, about: str, figure: float | None = None) -> Run:
    """The session of the tag again, as an artifact of a run of its own, with one figure made better or as it is."""
    kept = machine.artifacts / str(tagged.number)
    again = machine.artifacts / str(machine.number + 1) / "session"
    shutil.copytree(kept / "session", again)
    (path,) = again.glob("*/record.json")
    if figure is not None:
        record = json.loads(path.read_bytes())
        record["trials"][1]["figures"]["closed"]["throughput_per_s"] = figure
        path.write_text(json.dumps(record))
    digests = {pack.stem: stated(pack).sha256 for pack in kept.glob("pack-head-*/*.tar")}
    payload = {"inputs": {"digests": json.dumps(digests)}}
    return machine.run("_record.yml", "workflow_call", payload, about=about)


def test_a_session_that_is_not_what_it_claims_is_refused(
    machine: Machine, tagged: Run, maintained: Run
) -> None:
    before = git(machine.hub.bare, "rev-parse", "data")
    run = recorded(machine, tagged, "a session that was made better", 1e9)
    assert not run.passed and not run.job("_record.yml:commit").passed
    assert git(machine.hub.bare, "rev-parse", "data") == before


def test_a_push_that_is_refused_keeps_the_session(machine: Machine, tagged: Run, maintained: Run) -> None:
    hook = machine.hub.bare / "hooks" / "pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho 'error: GH013: Repository rule violations found' >&2; exit 1\n")
    hook.chmod(0o755)
    git(machine.hub.bare, "update-ref", "refs/heads/kept", "data")
    git(machine.hub.bare, "update-ref", "-d", "refs/heads/data")
    try:
        run = recorded(machine, tagged, "a push that is refused")
    finally:
        hook.unlink()
        git(machine.hub.bare, "update-ref", "refs/heads/data", "kept")
        git(machine.hub.bare, "update-ref", "-d", "refs/heads/kept")
    assert not run.passed and "Land it later by: ./bench ci record session/" in run.text


def test_a_monday_finds_a_record_that_was_changed(machine: Machine, tagged: Run, maintained: Run) -> None:
    good = git(machine.hub.bare, "rev-parse", "data").strip()
    data = data_of(machine.folder, machine.hub.bare)
    path = next(iter(sorted(data.glob("runs/*/*/*/evidence/*.gz"))))
    path.write_bytes(path.read_bytes()[:-1])
    git(data, "commit", "--quiet", "--all", "--message", "Tampered")
    git(data, "push", "--quiet", "origin", "data")
    run = machine.run("maintenance.yml", "schedule", about="a Monday after somebody changed a record")
    git(machine.hub.bare, "update-ref", "refs/heads/data", good)
    assert (
        not run.job("maintenance.yml:data").passed and "1 of 1 sessions checked, 0 as recorded." in run.text
    )
