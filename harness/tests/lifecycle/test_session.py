"""A session that ends early keeps the runs that count, and says why it ended."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from plumbline.archive.history.collect import sessions
from plumbline.archive.record.gate import check_all
from plumbline.archive.record.read import read_record
from plumbline.measuring.lifecycle import session as module
from plumbline.measuring.lifecycle.session import LifecycleRequest, _LifecycleSession
from plumbline.measuring.run.journal import Origin
from plumbline.model.errors import CannotGoOn
from plumbline.model.lifecycle import Lifecycle, LifecycleRun
from plumbline.reporting.publish.reading import folders
from tests.checkout import CATALOG
from tests.judge.planned import LAB, host
from tests.record.sessions import written

SUBJECT = "quarkus-hello-rest/jvm/none"
END = {
    "the database is gone": (CannotGoOn("The database is gone.", "Start it."), "The database is gone. Start it"),
    "the disk is full": (OSError(28, "No space left on device"), "[Errno 28] No space left on device"),
    "a signal": (KeyboardInterrupt(), "Interrupted"),
}


def session_that_ends(root: Path, monkeypatch: pytest.MonkeyPatch, end: BaseException, *blocks: int) -> Any:
    def run_on_testbed(session: Any, *_: Any) -> None:
        for number, block in enumerate(blocks):
            session._runs.append(
                LifecycleRun(
                    number=number, block=block, subject=SUBJECT, step="run", command_line=(), values={}, log="logs/x"
                )
            )
        raise end

    monkeypatch.setattr(_LifecycleSession, "_run_on_testbed", run_on_testbed)
    context: Any = SimpleNamespace(catalog=CATALOG, paths=SimpleNamespace(results=root))
    session = _LifecycleSession(context, LifecycleRequest((SUBJECT,)), "s", print)
    session._folder.mkdir(parents=True)
    return session


@pytest.mark.parametrize("name", END)
def test_runs_that_count_are_kept(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    end, words = END[name]
    session = session_that_ends(tmp_path, monkeypatch, end, 0, 1)
    assert session._run_to_the_end({}, {}, 0) == words
    assert session._folder.is_dir()


@pytest.mark.parametrize("name", END)
def test_without_a_run_that_counts_the_end_is_the_command_s(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    end, _ = END[name]
    session = session_that_ends(tmp_path, monkeypatch, end, 0)
    with pytest.raises(type(end)):
        session._run_to_the_end({}, {}, 0)
    # An interruption leaves nothing; the logs of a failure stay.
    assert session._folder.is_dir() == (name != "a signal")


def measured(root: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Lifecycle]:
    """Return the folder and the document of a session without runs, during which somebody said `git pull`."""
    checkout = SimpleNamespace(commit="a" * 40)

    def origin_of(context: Any) -> Origin:
        return Origin(commit=checkout.commit, dirty=False, locks={}, python="", jdk="", k6="", measuring={})

    def run_to_the_end(session: Any, *_: Any) -> None:
        checkout.commit = "b" * 40

    monkeypatch.setattr(module, "origin_of", origin_of)
    monkeypatch.setattr(module, "sweep", lambda context: None)
    monkeypatch.setattr(module, "MachineLock", lambda: nullcontext(SimpleNamespace(descriptor=0)))
    monkeypatch.setattr(_LifecycleSession, "_steps_of", lambda session, subject: ("run",))
    monkeypatch.setattr(_LifecycleSession, "_run_to_the_end", run_to_the_end)
    context: Any = SimpleNamespace(
        catalog=CATALOG,
        paths=SimpleNamespace(results=root),
        job=lambda *_: None,
        jdk=SimpleNamespace(build=""),
        maven=SimpleNamespace(version=""),
        k6=SimpleNamespace(version=""),
        host=host(),
        sets=LAB,
        placement=SimpleNamespace(name="cgroup"),
    )
    return _LifecycleSession(context, LifecycleRequest((SUBJECT,)), "s", lambda _: None).run()


def test_the_document_names_the_checkout_as_it_was_at_the_beginning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, document = measured(tmp_path, monkeypatch)
    assert document.provenance.commit == "a" * 40


@pytest.mark.slow
def test_readers_of_records_pass_over_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    record = written(tmp_path)
    folder, _ = measured(tmp_path, monkeypatch)
    assert {path.name for path in folder.iterdir()} == {"lifecycle.json", "logs", "MANIFEST.sha256"}
    assert [(checked.folder, checked.word) for checked in check_all(tmp_path)] == [(record, "as recorded")]
    assert [extract.session for extract in sessions(tmp_path, tmp_path / "cache")] == [read_record(record).plan.session]
    assert folders(tmp_path) == [record.name]
    # A document of a life cycle hides no record.
    (record / "lifecycle.json").touch()
    assert [(checked.folder, checked.word) for checked in check_all(tmp_path)] == [(record, "changed")]
