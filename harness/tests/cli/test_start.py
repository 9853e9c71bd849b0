"""`./bench start` starts a subject as trials do: from its AOT cache, and under the conditions of its settings."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner, Result

from plumbline.cli.start_command import command
from plumbline.measuring.build.builder import Unavailable
from plumbline.measuring.conformance import serving
from plumbline.measuring.launch import lock
from plumbline.measuring.run import context, opening
from plumbline.measuring.run.job import Job
from plumbline.model.errors import CannotGoOn
from plumbline.model.host import CpuSets
from tests.checkout import CATALOG

AOT = "vertx-pg/aot/pg"


def job_of(text: str) -> Job:
    subject = CATALOG.subject(text)
    unused: Any = None
    scenario: Any = SimpleNamespace(model_copy=lambda **_: unused)
    settings = CATALOG.settings_of(subject)
    return Job(unused, scenario, subject, CATALOG.variant(subject.variant), unused, settings, java=Path("java"))


def told_to_end() -> None:
    """Tell the command to end while the application runs."""
    os.kill(os.getpid(), signal.SIGTERM)


def started(
    monkeypatch: pytest.MonkeyPatch, folder: Path, subject: str, poll: Callable[[], int | None] = told_to_end
) -> tuple[Result, list[str]]:
    """Return what the command said of a subject, and what happened. `poll` is asked whether its process runs."""
    events: list[str] = []
    testbed = SimpleNamespace(
        database=SimpleNamespace(restore=lambda: events.append("restore"), data_folder=None, url="postgresql://"),
        free_port=lambda: 8080,
        placement=None,
        roots=SimpleNamespace(proc=folder),
        sets=CpuSets(app=(0,), db=(1,), load=(1,), housekeeping=(1,)),
        work=folder / "trial",
        private=folder / "private",
        aot=folder / "aot",
    )
    for own_folder in (testbed.work, testbed.private):
        own_folder.mkdir(exist_ok=True)

    def spawn(*_: object, extra: tuple[str, ...], **__: object) -> object:
        events.extend(("start", *extra))
        return SimpleNamespace(poll=poll, terminate=lambda _: events.append("stop"))

    monkeypatch.setattr(context, "open_context", lambda *_: SimpleNamespace(catalog=CATALOG, job=job_of))
    monkeypatch.setattr(lock, "MachineLock", lambda: nullcontext(SimpleNamespace(descriptor=0)))
    monkeypatch.setattr(opening, "testbed_for_now", lambda *_: nullcontext(testbed))
    monkeypatch.setattr(serving, "train", lambda *_: events.append("train"))
    monkeypatch.setattr(serving, "impose", lambda *_: events.append("impose"))
    monkeypatch.setattr(serving, "lift", lambda *_: events.append("lift"))
    monkeypatch.setattr(serving, "spawn_application", spawn)
    monkeypatch.setattr(serving, "await_answers", lambda *_: SimpleNamespace(first_response_ms=250.0))
    monkeypatch.setattr(serving, "endpoint_of", lambda *_: SimpleNamespace(url="http://127.0.0.1:8080"))
    return CliRunner().invoke(command, [subject], standalone_mode=False), events


def test_an_aot_cache_is_trained_and_taken(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    result, events = started(monkeypatch, tmp_path, AOT)
    assert result.exception is None
    cache = tmp_path / "aot" / "held.aot"
    assert events == [
        *("restore", "train", "restore", "impose"),
        *("start", f"-XX:AOTCache={cache}", "-XX:AOTMode=on", "stop", "lift"),
    ]
    assert f"{AOT} answered after 0.25 s" in result.output


def test_an_application_that_ends_by_itself_is_no_end_by_the_user(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "trial").mkdir()
    (tmp_path / "trial" / "app.log").write_text("Terminating due to java.lang.OutOfMemoryError\n")
    result, events = started(monkeypatch, tmp_path, "vertx-pg/jvm/pg", lambda: -9)
    assert isinstance(result.exception, CannotGoOn)
    assert result.exception.problem == "The application ended by itself with signal 9 (SIGKILL)."
    assert "  Terminating due to java.lang.OutOfMemoryError\n" in result.output
    assert events[-2:] == ["stop", "lift"]


def test_what_the_host_cannot_give_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    result, events = started(monkeypatch, tmp_path, "vertx-pg/jvm/pg+cpus=64")
    assert isinstance(result.exception, Unavailable) and not events
    assert "cpus=64 asks for more: take a larger host." in result.exception.problem
