"""A campaign over several equal hosts: each measures blocks of its own, and their sessions become one record."""

from __future__ import annotations

import hashlib
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from plumbline.archive.record.assemble import assembled_again
from plumbline.archive.record.read import read_record
from plumbline.archive.record.verify import verify
from plumbline.archive.record.write import NAME, write_record
from plumbline.measuring.build.packs import read_build
from plumbline.model.record import Record
from tests.cluster.scale_set import WORKFLOW, changed_lines
from tests.record.hosts import TOKENS, on
from .act import Machine, Run, passed
from .checkout import data_of, edited, git, make_clone
from .seeds import SUBJECT
from .story import another_data_branch

# The builds of the made-up sessions.
BUILDS = {build.artifact.replace("/", "-"): build.sha256 for build in on("lab-a", 3)[0].builds}
FAIL_FAST = "fail-fast: false"


def left(machine: Machine, host: str, blocks: int, **origin: Any) -> Path:
    """Write the artifact of the next run: a made-up session of that host, of today and of the current commit."""
    record, evidence = on(host, blocks)
    now = datetime.now(UTC)
    session = f"{now:%Y%m%dT%H%M%SZ}-{host}-{TOKENS[host]}"
    times = dict.fromkeys(("started_at", "ended_at"), f"{now:%Y-%m-%dT%H:%M:%SZ}")
    head = git(machine.sources, "rev-parse", "HEAD").strip()
    changes = {
        "plan": record.plan.model_copy(update={"session": session}),
        "provenance": record.provenance.model_copy(update={"commit": head, **times, **origin}),
    }
    folder = machine.artifacts / str(machine.number + 1) / f"session-{host}" / session
    write_record(folder, assembled_again(record.model_copy(update=changes), evidence), evidence)
    (folder / "logs").mkdir()
    (folder / "logs" / "words.log").write_text("made up\n")
    return folder


def recorded(machine: Machine, hosts: str, about: str, digests: dict[str, str] = BUILDS) -> Run:
    """Run the workflow that puts the sessions of the hosts on the data branch."""
    payload = {"inputs": {"hosts": hosts, "digests": json.dumps(digests)}}
    return machine.run("_record.yml", "workflow_call", payload, about=about)


def kept(machine: Machine) -> Record:
    """The only record of the data branch, which is as recorded and attested."""
    (path,) = data_of(machine.folder, machine.hub.bare).glob("runs/*/*/*/record.json")
    assert verify(path.parent).difference is None
    attested = (machine.artifacts / "attested").read_text().split()
    assert hashlib.sha256((path.parent / NAME).read_bytes()).hexdigest() in attested
    return read_record(path.parent)


def blocks_of(record: Record) -> dict[str, set[int]]:
    """The numbers of the measured blocks of each host."""
    blocks_of_host: dict[str, set[int]] = {}
    for trial in record.plan.trials:
        if trial.role == "measured":
            blocks_of_host.setdefault(str(trial.host), set()).add(trial.block)
    return blocks_of_host


def test_the_sessions_of_two_hosts_become_one_record(machine: Machine) -> None:
    folders = [left(machine, "lab-a", 3), left(machine, "lab-b", 2)]
    with another_data_branch(machine, None):
        run = passed(recorded(machine, "lab-a,lab-b", "the sessions of two hosts"))
        record = kept(machine)
    assert (record.host.name, record.lost_hosts) == ("lab-a_lab-b", ())
    assert [part.plan.session for part in record.parts] == [folder.name for folder in folders]
    assert blocks_of(record) == {"lab-a": {1, 2, 3}, "lab-b": {4, 5}}
    assert {build.artifact.replace("/", "-"): build.sha256 for build in record.builds} == BUILDS
    assert (run.outputs["hosts"], run.outputs["lost"]) == ("lab-a,lab-b", "")
    assert run.outputs["path"].endswith(f"/{record.plan.session}")


def test_a_damaged_session_and_a_cut_one_lose_their_blocks_alone(machine: Machine) -> None:
    folders = [left(machine, "lab-a", 3), left(machine, "lab-b", 2)]
    damaged = left(machine, "lab-c", 2)
    (damaged / "evidence" / "0003.json.gz").write_bytes(b"no gzip")
    cut = machine.artifacts / str(machine.number + 1) / "session-lab-d" / ".running" / "lab-d"
    cut.mkdir(parents=True)
    (cut / "journal.jsonl").touch()
    with another_data_branch(machine, None):
        run = passed(recorded(machine, "lab-a,lab-b,lab-c,lab-d", "two of four hosts are lost"))
        record = kept(machine)
    assert [part.plan.session for part in record.parts] == [folder.name for folder in folders]
    assert record.lost_hosts == ("lab-c", "lab-d")
    assert blocks_of(record) == {"lab-a": {1, 2, 3}, "lab-b": {4, 5}}
    assert f"{damaged.name} is left out: evidence/0003.json.gz is no intact gzip file" in run.text


OTHERS: dict[str, tuple[dict[str, str], dict[str, str], str]] = {
    "another commit": (
        {"commit": "1" * 40},
        BUILDS,
        "lab-b can't be joined with lab-a: they differ in commit.",
    ),
    "artifacts that nobody handed over": (
        {},
        dict.fromkeys(BUILDS, "0" * 64),
        "which this job did not hand over: it belongs to another run.",
    ),
}


@pytest.mark.parametrize("case", OTHERS)
def test_what_is_not_of_this_campaign_is_not_kept(machine: Machine, case: str) -> None:
    origin, digests, words = OTHERS[case]
    left(machine, "lab-a", 3)
    left(machine, "lab-b", 2, **origin)
    with another_data_branch(machine, None):
        run = recorded(machine, "lab-a,lab-b", f"two hosts, and {case}", digests)
        assert git(machine.hub.bare, "for-each-ref", "refs/heads/data") == ""
    assert [job.name for job in run.jobs if not job.passed] == ["commit"]
    assert words in run.text


@pytest.fixture(scope="module")
def divided(machine: Machine) -> tuple[Run, Record]:
    """A campaign over two hosts, and its record. The runners belong to the scale set that docs/scale.md makes; each
    runner is this machine.
    """
    sources = make_clone(machine.sources, machine.folder / "of-hosts", machine.hub.bare)
    for line, replacement in changed_lines().items():
        edited(sources, WORKFLOW, line, replacement)
    # One machine measures one session at a time.
    edited(sources, ".github/workflows/campaign.yml", FAIL_FAST, f"{FAIL_FAST}\n      max-parallel: 1")
    git(sources, "commit", "--quiet", "--all", "--message", "A scale set")
    inputs = {"suite": "campaign-hosted", "subjects": SUBJECT, "host": "lab-b,lab-a", "note": ""}
    payload = {"inputs": inputs, "ref": "refs/heads/main"}
    about = "a campaign over two hosts"
    with another_data_branch(machine, None):
        run = machine.run("campaign.yml", "workflow_dispatch", payload, about=about, sources=sources)
        return passed(run), kept(machine)


def test_a_campaign_over_two_hosts_has_one_record_and_goes_on(divided: tuple[Run, Record]) -> None:
    run, record = divided
    jobs = [f"{job.file}:{job.name}" for job in run.jobs]
    assert (jobs.count("_measure.yml:measure"), jobs.count("_record.yml:commit")) == (2, 1)
    assert {"_publish.yml:deploy", "campaign.yml:ledger"} <= run.names
    assert [part.host.name for part in record.parts] == ["lab-a", "lab-b"]
    assert (record.host.name, record.lost_hosts) == ("lab-a_lab-b", ())


def test_each_host_measures_blocks_of_its_own_and_of_the_same_artifacts(
    machine: Machine, divided: tuple[Run, Record]
) -> None:
    run, record = divided
    of_a, of_b = blocks_of(record).values()
    assert len(of_a) == len(of_b) >= 2 and of_a.isdisjoint(of_b)
    packs = (machine.artifacts / str(run.number)).glob("pack-head-*/*.tar")
    builds = {read_build(path).artifact: read_build(path).sha256 for path in packs}
    assert {build.artifact: build.sha256 for build in record.builds} == builds
