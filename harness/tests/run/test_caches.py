"""A session that was interrupted goes on with the AOT caches that it trained, and its record names every training."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from plumbline.measuring.run import prepare as module
from plumbline.measuring.run.caches import Caches
from plumbline.measuring.run.job import Job
from plumbline.measuring.run.journal import Journal, read_journal
from plumbline.model.plan import PlannedTrial
from plumbline.model.record import Training
from plumbline.model.subject import Subject
from tests.judge.planned import plan
from tests.run.test_duet import Silent

AOT = "vertx-pg/aot/pg"
TRIAL = PlannedTrial(number=0, block=0, subject=AOT, scenario="fruits@1", role="discarded")


class Host:
    """A host on which a session runs, is interrupted and goes on; every training leaves other bytes."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.session, self._scratch = folder / "session", folder / "scratch"
        self.session.mkdir()
        self.trainings = 0
        self.refuses = False
        Journal(self.session).write("plan", plan=plan().model_dump(mode="json"), started_at="now", options={})
        monkeypatch.setattr(module, "train", self._train)
        monkeypatch.setattr(module, "rehearse", self._rehearse)
        monkeypatch.setattr(module, "keep_logs", lambda work, target: None)
        monkeypatch.setattr(module, "revive_database", lambda testbed, progress: None)

    def _train(self, testbed: Any, job: Job, cache: Path, scenarios: Any) -> Training:
        assert job.aot_cache is None
        self.trainings += 1
        cache.write_bytes(b"%d" % self.trainings)
        return Training(subject=AOT, wall_s=1.0, size_bytes=1, sha256=sha256(cache.read_bytes()).hexdigest())

    def _rehearse(self, testbed: Any, job: Job, progress: Any) -> Any:
        assert job.aot_cache is not None and job.aot_cache.is_file()
        return SimpleNamespace(failure=SimpleNamespace(problem="The JVM ended.") if self.refuses else None)

    def prepared(self) -> bytes:
        """Return the cache that the trials run with after the session began or was resumed."""
        work = self._scratch / f"run-{len(list(self._scratch.glob('*')))}" / "trial"
        (work.parent / "aot").mkdir(parents=True)
        nothing: Any = None
        job = Job(TRIAL, plan().scenarios[0], Subject.parse(AOT), nothing, nothing, {}, nothing)
        built: Any = SimpleNamespace(plan=plan(), job=lambda trial: job, caches={}, not_built={})
        testbed: Any = SimpleNamespace(
            work=work, aot=work.parent / "aot", database=SimpleNamespace(restore=lambda: None)
        )
        caches = Caches(self.session, read_journal(self.session))
        module._provide_cache(testbed, built, TRIAL, caches, self.session / "logs", Silent())
        return Path(built.caches[TRIAL.contender]).read_bytes()

    @property
    def named(self) -> list[str]:
        """The digests of the caches that the record will name."""
        return [training.sha256 for training in read_journal(self.session).trainings]


@pytest.fixture
def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Host:
    return Host(tmp_path, monkeypatch)


def test_trials_after_an_interruption_have_the_cache_of_those_before(host: Host) -> None:
    assert [host.prepared() for _ in range(3)] == [b"1"] * 3
    assert host.named == [sha256(b"1").hexdigest()]


def refuses(host: Host) -> None:
    host.refuses = True


def damaged(host: Host) -> None:
    (kept,) = (host.session / "aot").iterdir()
    kept.write_bytes(b"other")


def lost(host: Host) -> None:
    (kept,) = (host.session / "aot").iterdir()
    kept.unlink()


@pytest.mark.parametrize("happens", [refuses, damaged, lost])
def test_another_cache_is_named_beside_the_first(host: Host, happens: Callable[[Host], None]) -> None:
    assert host.prepared() == b"1"
    happens(host)
    assert host.prepared() == b"2"
    assert host.named == [sha256(text).hexdigest() for text in (b"1", b"2")]
    host.refuses = False
    assert host.prepared() == b"2" and host.trainings == 2
