"""A subject is served under the conditions that its settings ask for, and refused where the host can't give them."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from plumbline.measuring.build.builder import Unavailable
from plumbline.measuring.conformance import serving as module
from plumbline.measuring.conformance.serving import job_to_check, serving

SLOW = {"db-disk": "200"}


def test_conditions_begin_after_the_restore_and_end_with_the_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    events: list[str] = []
    process = SimpleNamespace(terminate=lambda _: events.append("stop"))
    testbed: Any = SimpleNamespace(
        database=SimpleNamespace(restore=lambda: events.append("restore")),
        free_port=lambda: 8080,
        work=tmp_path / "trial",
        private=tmp_path / "private",
        placement=None,
    )
    for folder in (testbed.work, testbed.private):
        folder.mkdir()
    job: Any = SimpleNamespace(settings=SLOW, aot_flags=())

    def spawn(*_: object, **__: object) -> object:
        events.append("start")
        return process

    monkeypatch.setattr(module, "impose", lambda _, settings: events.append(f"impose {settings}"))
    monkeypatch.setattr(module, "lift", lambda _, settings: events.append(f"lift {settings}"))
    monkeypatch.setattr(module, "spawn_application", spawn)
    monkeypatch.setattr(module, "await_answers", lambda *_: None)
    monkeypatch.setattr(module, "endpoint_of", lambda *_: None)
    with pytest.raises(OSError, match="an answer"), serving(testbed, job):
        raise OSError("no such thing as an answer")
    assert events == ["restore", f"impose {SLOW}", "start", "stop", f"lift {SLOW}"]


def test_what_the_host_cannot_give_is_unavailable(monkeypatch: pytest.MonkeyPatch) -> None:
    subject = "vertx-pg/jvm/pg+db-disk=200"
    context: Any = SimpleNamespace(job=lambda text: SimpleNamespace(settings=SLOW))
    monkeypatch.setattr(module, "why_conditions_unavailable", lambda testbed, settings: "It lies on no disk.")
    nobody: Any = None
    with pytest.raises(Unavailable, match=r"vertx-pg/jvm/pg\+db-disk=200 is unavailable: It lies on no disk\."):
        job_to_check(context, nobody, subject)
