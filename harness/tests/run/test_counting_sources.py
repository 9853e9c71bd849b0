"""A trial keeps how often each source of an order answered within a phase, and ends where that can't be read."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from plumbline.measuring.run import trial as module
from plumbline.measuring.run.draft import Halted
from plumbline.measuring.run.rendezvous import ALONE
from plumbline.model.errors import CannotGoOn
from plumbline.model.evidence import SourcesWork
from plumbline.model.plan import Phase
from tests.judge.evidence import loads
from tests.judge.planned import SUBJECTS


class Sources:
    """Sources that live, and tell one count after the other; then no more."""

    def __init__(self, *counts: Counter[str]) -> None:
        self._counts = list(counts)

    def exit_status(self) -> int | None:
        return None

    def answered(self, latency_ms: float) -> Counter[str]:
        assert latency_ms == 5.0
        if not self._counts:
            raise CannotGoOn("They do not tell.")
        return self._counts.pop(0)


def kept(
    folder: Path, monkeypatch: pytest.MonkeyPatch, sources: Sources, latency_ms: float | None
) -> list[SourcesWork]:
    """Return the counts of the sources that a trial with one closed phase keeps."""
    result = loads(SUBJECTS[0], random.Random(1))[1]
    outcome = SimpleNamespace(result=result, window=(0.0, 2000.0), asked=None, changed=None)
    monkeypatch.setattr(module, "HttpDriver", lambda *_: SimpleNamespace(load=lambda *_: outcome))
    database = SimpleNamespace(target=SimpleNamespace(engine="pg"), exit_status=lambda: None)
    testbed: Any = SimpleNamespace(work=folder, sources=sources, database=database)
    job: Any = SimpleNamespace(
        scenario=SimpleNamespace(uses_database=False, source_latency_ms=latency_ms),
        variant=SimpleNamespace(spec=SimpleNamespace(serves_on="worker")),
    )
    progress: Any = SimpleNamespace(phase_began=lambda phase: None)
    trial = module._Trial(testbed, job, progress, ALONE)
    trial._run_phase(Phase(kind="closed", name="closed", duration_s=2, connections=10))
    return trial._draft.sources


def test_a_phase_keeps_how_often_each_source_answered_in_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sources = Sources(Counter(customers=3, stock=1), Counter(customers=10, stock=1, cards=7))
    assert kept(tmp_path, monkeypatch, sources, 5.0) == [
        SourcesWork(phase="closed", answered={"customers": 7, "cards": 7})
    ]


def test_sources_that_nobody_asks_are_not_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert kept(tmp_path, monkeypatch, Sources(), None) == []


class DeadSources(Sources):
    """Sources that were killed."""

    def exit_status(self) -> int | None:
        return -9


def test_dead_sources_end_only_the_trials_that_ask_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert kept(tmp_path, monkeypatch, DeadSources(), None) == []
    with pytest.raises(Halted, match="sources of the orders ended by themselves"):
        kept(tmp_path, monkeypatch, DeadSources(Counter(), Counter()), 5.0)


def test_a_trial_ends_where_its_sources_do_not_tell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(Halted) as ended:
        kept(tmp_path, monkeypatch, Sources(Counter()), 5.0)
    assert (ended.value.failure.phase, ended.value.failure.problem) == ("closed", "They do not tell.")
