"""`./bench ci join`: the sessions of several hosts become one, which every other command reads."""

from __future__ import annotations

from pathlib import Path

import pytest

from plumbline.record.write import write_record
from tests.record.hosts import Session, on
from .job import Checkout

pytestmark = pytest.mark.slow


def left(folder: Path, session: Session) -> Path:
    """The folder of one host's session, as its job keeps it."""
    record, evidence = session
    target = folder / record.plan.session
    folder.mkdir(exist_ok=True)
    write_record(target, record, evidence)
    return target


def test_sessions_of_hosts_are_joined_and_checked(checkout: Checkout, tmp_path: Path) -> None:
    sessions, into = tmp_path / "sessions", tmp_path / "session"
    for one in (on("lab-a", 3), on("lab-c", 2)):
        left(sessions, one)
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


def test_no_host_left_a_session(checkout: Checkout, tmp_path: Path) -> None:
    ended = checkout.bench(
        "ci", "join", str(tmp_path), "--hosts", "lab-a,lab-b", "--into", str(tmp_path / "s")
    )
    assert ended.status == 3
    assert "No host left a session" in ended.err


def test_a_host_that_nobody_asked_is_refused(checkout: Checkout, tmp_path: Path) -> None:
    left(tmp_path / "sessions", on("lab-a", 3))
    ended = checkout.bench(
        "ci", "join", str(tmp_path / "sessions"), "--hosts", "lab-b", "--into", str(tmp_path / "s")
    )
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
