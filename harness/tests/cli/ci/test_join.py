"""`./bench ci join`: the sessions of several hosts become one session, which every other command reads."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from plumbline.archive.record.write import write_record
from tests.github.forge import forge as forge_running
from tests.record.hosts import Session, on
from .job import Checkout

pytestmark = pytest.mark.slow


def left(folder: Path, session: Session) -> Path:
    """The folder of one host's session, as its job keeps it."""
    record, evidence = session
    target = folder / record.plan.session
    folder.mkdir(parents=True, exist_ok=True)
    write_record(target, record, evidence)
    return target


def test_sessions_of_hosts_are_joined_and_checked(checkout: Checkout, tmp_path: Path) -> None:
    sessions, into = tmp_path / "sessions", tmp_path / "session"
    for host_session in (on("lab-a", 3), on("lab-c", 2)):
        left(sessions, host_session)
    (sessions / ".running" / "20260901T101500Z-lab-b-1b2c3d").mkdir(parents=True)
    words = ("ci", "join", str(sessions), "--hosts", "lab-a,lab-b,lab-c", "--into", str(into))
    ended = checkout.bench(*words)
    assert ended.status == 0, ended.err
    assert (ended.outputs["hosts"], ended.outputs["lost"]) == ("lab-a,lab-c", "lab-b")
    (folder,) = into.iterdir()
    assert folder.name == ended.outputs["session"]
    assert checkout.bench("verify", str(folder)).status == 0
    summary = checkout.bench("ci", "summary", str(folder))
    assert summary.status == 0, summary.err
    report = checkout.bench("report", str(folder))
    assert report.status == 0, report.err
    page = (folder / "report.md").read_text()
    assert "lab-b left no session" in page
    assert "session 20260901T101500Z-lab-c-2c3d4e, 2 blocks by seed 4711, trials " in page
    assert checkout.bench(*words).status == 2, "a record is never written over"


def test_the_session_of_a_single_host_stays_as_it_is(checkout: Checkout, tmp_path: Path) -> None:
    folder = left(tmp_path / "sessions" / "session-lab-a", on("lab-a", 3))
    (folder / "logs").mkdir()
    ended = checkout.bench(
        "ci", "join", str(tmp_path / "sessions"), "--hosts", "lab-a", "--into", str(tmp_path / "session")
    )
    assert ended.status == 0, ended.err
    (joined,) = (tmp_path / "session").iterdir()
    assert joined.name == folder.name == ended.outputs["session"]
    shutil.rmtree(folder / "logs")
    assert contents(joined) == contents(folder)


def contents(folder: Path) -> dict[str, bytes]:
    """Return the content of each file below a folder, by its path."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("session", ["../../../../escaped-lab-a-0a1b2c", "20260901T101500Z-lab-a-$(id)00"])
def test_a_session_whose_name_leads_elsewhere_is_refused(checkout: Checkout, tmp_path: Path, session: str) -> None:
    record, evidence = on("lab-a", 3)
    plan = record.plan.model_copy(update={"session": session})
    write_record(tmp_path / "sessions", record.model_copy(update={"plan": plan}), evidence)
    for hosts in ("lab-a", "lab-a,lab-b"):
        ended = checkout.bench(
            "ci", "join", str(tmp_path / "sessions"), "--hosts", hosts, "--into", str(tmp_path / "a/b/c")
        )
        assert ended.status == 1
        assert "is no id of a session" in ended.err
    assert not (tmp_path / "a").exists()


def test_no_host_left_a_session(checkout: Checkout, tmp_path: Path) -> None:
    ended = checkout.bench("ci", "join", str(tmp_path), "--hosts", "lab-a,lab-b", "--into", str(tmp_path / "s"))
    assert ended.status == 3
    assert "No host left a session" in ended.err


def test_a_host_that_nobody_asked_is_refused(checkout: Checkout, tmp_path: Path) -> None:
    left(tmp_path / "sessions", on("lab-a", 3))
    ended = checkout.bench("ci", "join", str(tmp_path / "sessions"), "--hosts", "lab-b", "--into", str(tmp_path / "s"))
    assert ended.status == 2
    assert "No blocks were for the host lab-a." in ended.err


def test_a_changed_session_is_refused(checkout: Checkout, tmp_path: Path) -> None:
    folder = left(tmp_path / "sessions", on("lab-a", 3))
    evidence = folder / "evidence" / "0003.json.gz"
    evidence.write_bytes(evidence.read_bytes()[:-1])
    ended = checkout.bench(
        "ci", "join", str(tmp_path / "sessions"), "--hosts", "lab-a,lab-b", "--into", str(tmp_path / "s")
    )
    assert ended.status == 1
    assert "is not as recorded" in ended.err
    assert not (tmp_path / "s").exists()


def test_a_host_whose_session_is_damaged_loses_its_blocks_alone(checkout: Checkout, tmp_path: Path) -> None:
    left(tmp_path / "sessions", on("lab-a", 3))
    folder = left(tmp_path / "sessions", on("lab-b", 2))
    (folder / "evidence" / "0003.json.gz").write_bytes(b"no gzip")
    into = tmp_path / "session"
    ended = checkout.bench("ci", "join", str(tmp_path / "sessions"), "--hosts", "lab-a,lab-b", "--into", str(into))
    assert ended.status == 0, ended.err
    assert (ended.outputs["hosts"], ended.outputs["lost"]) == ("lab-a", "lab-b")
    assert f"::error::{folder.name} is left out: evidence/0003.json.gz is no intact gzip file" in ended.out
    (joined,) = into.iterdir()
    assert checkout.bench("verify", str(joined)).status == 0


def test_a_host_that_nobody_asked_or_of_other_versions_takes_nothing_from_the_others(
    checkout: Checkout, tmp_path: Path
) -> None:
    left(tmp_path / "sessions", on("lab-a", 3))
    left(tmp_path / "sessions", on("lab-c", 2))
    record, evidence = on("lab-b", 2)
    older = record.versions.model_copy(update={"workload": record.versions.workload + 1})
    left(tmp_path / "sessions", (record.model_copy(update={"versions": older}), evidence))
    into = tmp_path / "session"
    ended = checkout.bench("ci", "join", str(tmp_path / "sessions"), "--hosts", "lab-a,lab-b", "--into", str(into))
    assert ended.status == 0, ended.err
    assert (ended.outputs["hosts"], ended.outputs["lost"]) == ("lab-a", "lab-b")
    reasons = ended.out.splitlines()
    assert len(reasons) == 2 and all(line.startswith("::error::20260901T101500Z-lab-") for line in reasons)
    assert "is of other rules, figures or workload than this checkout." in reasons[0]
    assert reasons[1].endswith("lab-c-2c3d4e is left out: No blocks were for the host lab-c.")


def test_a_host_without_logs_takes_nothing_from_the_logs_of_the_others(checkout: Checkout, tmp_path: Path) -> None:
    left(tmp_path / "sessions", on("lab-a", 3))
    logs = left(tmp_path / "sessions", on("lab-b", 2)) / "logs"
    logs.mkdir()
    (logs / "app.log").write_text("words\n")
    with forge_running() as forge:
        forge.on("GET", "/releases/tags/logs-2026-09", {"id": 3, "upload_url": ""})
        forge.on("GET", "/releases/3/assets", [])
        forge.on("POST", "/releases/3/assets", (201, {"browser_download_url": "https://x/a"}))
        environ = {"GITHUB_API_URL": forge.url, "GITHUB_REPOSITORY": "owner/name", "GITHUB_TOKEN": "secret"}
        ended = checkout.bench("ci", "logs", str(tmp_path / "sessions"), **environ)
        assert len(forge.sent("POST")) == 1
    assert ended.status == 2 and "20260901T101500Z-lab-a-0a1b2c has no logs" in ended.err and not ended.outputs
