"""Failures as docs/operate.md describes them: what stays as it was, what is kept, and what the log says."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from plumbline.measuring.build.packs import read_build
from .act import Machine, Run
from .checkout import git, make_clone
from .seeds import SUBJECT
from .story import TAG, another_data_branch, of_artifacts, only, session_of

HOOK = "#!/bin/sh\necho 'error: GH013: Repository rule violations found' >&2; exit 1\n"
SLUG = "vertx-pg-jvm-pg"


def digests_of(machine: Machine, tagged: Run) -> dict[str, str]:
    artifacts = machine.artifacts / str(tagged.number)
    return {pack.stem: read_build(pack).sha256 for pack in artifacts.glob("pack-head-*/*.tar")}


@pytest.fixture(scope="session")
def of_the_tag(machine: Machine, tagged: Run) -> Path:
    """A clone at the commit of the tag, whose artifacts a called workflow gets: main may have moved on."""
    return make_clone(machine.sources, machine.folder / "of-the-tag", machine.hub.bare, "--branch", TAG)


def called(
    machine: Machine, sources: Path, workflow: str, tagged: Run, artifacts: str, about: str, **inputs: str
) -> Callable[[], Run]:
    """Return a call that runs a reusable workflow, whose run finds these artifacts of the tag's run as its own."""
    artifacts_of_run = machine.artifacts / str(machine.number + 1)
    for folder in (machine.artifacts / str(tagged.number)).glob(artifacts):
        shutil.copytree(folder, artifacts_of_run / folder.name)
    return lambda: machine.run(workflow, "workflow_call", {"inputs": inputs}, about=about, sources=sources)


def recorded(machine: Machine, of_the_tag: Path, tagged: Run, about: str, figure: float | None = None) -> Run:
    """Record the session of the tag again, as an artifact of a new run, with one figure made better or unchanged."""
    digests = json.dumps(digests_of(machine, tagged))
    inputs = {"hosts": "hosted", "digests": digests}
    run = called(machine, of_the_tag, "_record.yml", tagged, "session-*", about, **inputs)
    if figure is not None:
        (path,) = (machine.artifacts / str(machine.number + 1) / "session-hosted").glob("*/record.json")
        record = json.loads(path.read_bytes())
        record["trials"][1]["figures"]["closed"]["throughput_per_s"] = figure
        path.write_text(json.dumps(record))
    return run()


def test_a_session_that_is_not_what_it_claims_is_refused(machine: Machine, of_the_tag: Path, tagged: Run) -> None:
    before = git(machine.hub.bare, "rev-parse", "data")
    run = recorded(machine, of_the_tag, tagged, "a session that was made better", 1e9)
    assert not run.passed and not run.job("_record.yml:commit").passed
    assert "record.json has changed: its SHA-256 is" in run.text and "another run" not in run.text
    assert git(machine.hub.bare, "rev-parse", "data") == before


def test_a_push_that_is_refused_keeps_the_session(machine: Machine, of_the_tag: Path, tagged: Run) -> None:
    hook = machine.hub.bare / "hooks" / "pre-receive"
    hook.parent.mkdir(exist_ok=True)
    with another_data_branch(machine, None):
        hook.write_text(HOOK)
        hook.chmod(0o755)
        try:
            run = recorded(machine, of_the_tag, tagged, "a push that is refused")
        finally:
            hook.unlink()
    assert not run.passed and "Land it later by: ./bench ci record session/" in run.text


def test_a_pack_that_was_not_built_in_this_run_is_handed_to_nobody(
    machine: Machine, of_the_tag: Path, tagged: Run
) -> None:
    digests = json.dumps({**digests_of(machine, tagged), SLUG: "0" * 64})
    about = "a pack that was not built in this run"
    run = called(machine, of_the_tag, "_attest.yml", tagged, "pack-head-*", about, digests=digests)()
    assert not run.job("_attest.yml:verify").passed and "digests" not in run.outputs
    assert f"The pack of {SLUG} is none of those that were built in this run." in run.text
    before = of_artifacts(machine)
    matrix = json.dumps({"include": [{"slug": SLUG, "image": SLUG, "builder": "jvm", "subject": SUBJECT}]})
    image = {"digests": digests, "matrix": matrix, "tag": "v0.0.1"}
    run = called(machine, of_the_tag, "_images.yml", tagged, "pack-head-*", about, **image)()
    assert not run.job("_images.yml:image").passed
    assert of_artifacts(machine) == before


def test_an_image_of_what_did_not_build_is_left_out(machine: Machine, of_the_tag: Path, tagged: Run) -> None:
    before = of_artifacts(machine)
    matrix = json.dumps({"include": [{"slug": SLUG, "image": SLUG, "builder": "jvm", "subject": SUBJECT}]})
    image = {"digests": "{}", "matrix": matrix, "tag": "v0.0.1"}
    run = called(machine, of_the_tag, "_images.yml", tagged, "nothing", "an image of what did not build", **image)()
    assert run.job("_images.yml:image").passed
    assert of_artifacts(machine) == before


def test_a_measurement_that_is_cancelled_keeps_what_was_measured(
    machine: Machine, of_the_tag: Path, tagged: Run, tmp_path: Path
) -> None:
    inputs = {
        "host": "hosted",
        "blocks": "2",
        "suite": "campaign-hosted",
        "only": SUBJECT,
        "scenarios": "fruits",
        "scale": "0.01",
    }
    digests = json.dumps(digests_of(machine, tagged))
    about = "a measurement that is cancelled"
    run = called(machine, of_the_tag, "_measure.yml", tagged, "pack-head-*", about, **inputs, digests=digests)
    over = threading.Event()
    stopper = threading.Thread(target=interrupted, args=(machine.number + 1, over))
    stopper.start()
    try:
        cancelled = run()
    finally:
        over.set()
        stopper.join()
    assert not cancelled.job("_measure.yml:measure").passed
    partial_session = machine.artifacts / str(cancelled.number) / "session-hosted"
    (journal,) = partial_session.glob(".running/*/journal.jsonl")
    git(tmp_path, "clone", "--quiet", str(of_the_tag), "host")
    shutil.copytree(partial_session, tmp_path / "host/results/local", dirs_exist_ok=True)
    resumed = subprocess.run(
        ["./bench", "run", "--resume", "--json"], cwd=tmp_path / "host", capture_output=True, text=True,
        env={**os.environ, "PLUMBLINE_HOST": "hosted"},
    )  # fmt: skip
    assert resumed.returncode in (0, 1), resumed.stderr
    assert json.loads(resumed.stdout)["session"] == journal.parent.name


def interrupted(number: int, over: threading.Event) -> None:
    """End the measurement of a run as GitHub cancels a job, once it has a trial; give up when the run is `over`."""
    while not over.wait(0.5):
        for process in Path("/proc").glob("[0-9]*"):
            try:
                words = (process / "cmdline").read_bytes().split(b"\0")
                environ = (process / "environ").read_bytes().split(b"\0")
                journals = (process / "cwd").glob("results/local/.running/*/journal.jsonl")
                trials = sum(path.read_text().count('"kind":"trial"') for path in journals)
            except OSError:
                continue
            is_measurement = f"GITHUB_RUN_ID={number}".encode() in environ and words[2:4] == [b"run", b"--suite"]
            if is_measurement and trials:
                os.kill(int(process.name), signal.SIGINT)
                return


def test_pages_that_cannot_be_made_leave_those_that_are_there(machine: Machine, tagged: Run, published: Run) -> None:
    deployed = machine.artifacts / "deployed" / "of-before"
    deployed.touch()
    with another_data_branch(machine, None):
        run = machine.run("_publish.yml", "workflow_dispatch", about="pages that cannot be made")
    assert not run.passed and "_publish.yml:deploy" not in run.names
    assert deployed.exists()


def test_a_monday_finds_a_record_that_was_changed(machine: Machine, tagged: Run) -> None:
    def change(data: Path) -> None:
        # With many sessions a Monday would check only a sample of them.
        only(session_of(machine, tagged).name, data)
        path = next(iter(sorted(data.glob("runs/*/*/*/evidence/*.gz"))))
        path.write_bytes(path.read_bytes()[:-1])

    with another_data_branch(machine, change):
        run = machine.run("maintenance.yml", "schedule", about="a Monday after somebody changed a record")
    assert not run.job("maintenance.yml:data").passed and "1 of 1 sessions checked, 0 as recorded." in run.text


def test_a_monday_tells_that_no_campaign_ran(machine: Machine, tagged: Run) -> None:
    with another_data_branch(machine, None):
        run = machine.run("maintenance.yml", "schedule", about="a Monday before any campaign")
    assert [job.name for job in run.jobs if not job.passed] == ["data"]
    assert "No session was ever recorded. Look at the runs of campaign.yml" in run.text


@pytest.mark.parametrize("other", ["a fork's commit", "a tag"])
@pytest.mark.parametrize("side", ["base", "head"])
def test_an_alert_is_confirmed_between_commits_of_the_default_branch_alone(
    machine: Machine, fork: Path, side: str, other: str
) -> None:
    own_commit = git(machine.sources, "rev-parse", "HEAD").strip()
    # A branch may have the name of the tag as well, and other code.
    other_commit = TAG if other == "a tag" else git(fork, "rev-parse", "HEAD").strip()
    alert_inputs = {
        "alert": "0" * 12,
        "base": own_commit,
        "head": own_commit,
        side: other_commit,
        "subjects": SUBJECT,
    }
    inputs = {**alert_inputs, "scenario": "fruits", "suite": "smoke", "host": "hosted", "scale": "1"}
    payload = {"inputs": inputs, "ref": "refs/heads/main"}
    about = f"an alert whose {side} is {other}"
    run = machine.run("confirm.yml", "workflow_dispatch", payload, about=about)
    assert not run.passed and [job.name for job in run.jobs] == ["plan"]
    assert ("is no full commit id." if other == "a tag" else "never stood at") in run.text
