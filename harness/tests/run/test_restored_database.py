"""A trial reads the database where it is once it is restored."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from plumbline.measuring.run import trial as module
from plumbline.measuring.run.rendezvous import ALONE


class Moving:
    """A database that is at another port once it was restored."""

    target = "the first port"
    pids = ()

    def restore(self, prepare: str | None) -> None:
        self.target = "the second port"


def test_its_counters_are_read_where_it_was_restored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "HttpDriver", lambda *_: None)
    monkeypatch.setattr(module, "probe_of", lambda target, **_: target)
    monkeypatch.setattr(module, "read_host_before", lambda *_: None)
    spawner = SimpleNamespace(end_strays=lambda pids: 0)
    testbed: Any = SimpleNamespace(
        work=tmp_path,
        database=Moving(),
        other_databases=(),
        spawner=spawner,
        backing_pids=(),
        own_pids=(),
        other_supervisors=(),
        roots=None,
    )
    job: Any = SimpleNamespace(
        scenario=SimpleNamespace(prepare=None), variant=SimpleNamespace(spec=SimpleNamespace(serves_on="worker"))
    )
    progress: Any = SimpleNamespace(phase_began=lambda phase: None)
    trial = module._Trial(testbed, job, progress, ALONE)
    trial._restore()
    assert str(trial._database_probe) == "the second port"
