"""Two trials at once: neither goes on before the other is there, and neither waits for one that ended."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from plumbline.measuring.run import duet as module
from plumbline.measuring.run import measure as measuring
from plumbline.measuring.run.duet import Duet
from plumbline.measuring.run.journal import Journaled, SessionOptions
from plumbline.measuring.run.measure import Measuring
from plumbline.measuring.run.rendezvous import Meeting
from plumbline.model.evidence import Evidence, Failure
from plumbline.model.plan import PlannedTrial
from tests.judge.evidence import evidence
from tests.judge.planned import CONTROL, host, plan
from tests.record.comparisons import FAST, PLACES, SLOW, comparison_plan

STEPS = 5


class Silent:
    def say(self, text: str) -> None: ...

    def trial_began(self, trial: Any, count: int, of: int, remaining_s: float) -> None: ...

    def phase_began(self, name: str) -> None: ...

    def trial_ended(self, trial: Any, headline: str, problem: str | None) -> None: ...


def ended_trial(failed: bool = False) -> Evidence:
    measured = evidence(plan().trials[0], plan().sets)
    failure = Failure(phase="start", problem="gone") if failed else None
    return measured.model_copy(update={"failure": failure, "subject": CONTROL})


def played(monkeypatch: pytest.MonkeyPatch, play: Callable[[Any, Meeting], Evidence]) -> Duet:
    monkeypatch.setattr(module, "run_trial", lambda testbed, job, progress, *, meeting: play(testbed, meeting))
    testbeds: Any = ("one", "two")
    return Duet(testbeds, Silent())


def test_steps_are_taken_together(monkeypatch: pytest.MonkeyPatch) -> None:
    taken: list[tuple[str, int]] = []
    lock = threading.Lock()

    def play(testbed: Any, meeting: Meeting) -> Evidence:
        for step in range(STEPS):
            assert meeting.meet()
            with lock:
                taken.append((testbed, step))
            time.sleep(0.01 if testbed == "one" else 0.0)
        return ended_trial()

    jobs: Any = ["a", "b"]
    assert len(played(monkeypatch, play).run(jobs)) == 2
    assert [step for _, step in taken] == sorted(step for _, step in taken)


def test_the_other_does_not_wait_for_one_that_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    def play(testbed: Any, meeting: Meeting) -> Evidence:
        if testbed == "one":
            return ended_trial(failed=True)
        return ended_trial(failed=not meeting.meet())

    jobs: Any = ["a", "b"]
    results = played(monkeypatch, play).run(jobs)
    assert [bool(result.failure) for result in results] == [True, True]


def test_an_error_of_ours_ends_both(monkeypatch: pytest.MonkeyPatch) -> None:
    def play(testbed: Any, meeting: Meeting) -> Evidence:
        if testbed == "two":
            raise RuntimeError("ours")
        return ended_trial(failed=not meeting.meet())

    jobs: Any = ["a", "b"]
    with pytest.raises(RuntimeError, match="ours"):
        played(monkeypatch, play).run(jobs)


def test_a_warm_up_ends_when_both_sides_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    warm_after = {"one": 2, "two": 5}
    cycles: dict[str, int] = {}

    def play(testbed: Any, meeting: Meeting) -> Evidence:
        cycle = 1
        while not meeting.all_say(cycle >= warm_after[testbed]):
            cycle += 1
        cycles[testbed] = cycle
        return ended_trial()

    jobs: Any = ["a", "b"]
    played(monkeypatch, play).run(jobs)
    assert cycles == {"one": 5, "two": 5}


def test_nobody_is_warm_beside_one_that_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    def play(testbed: Any, meeting: Meeting) -> Evidence:
        return ended_trial(failed=testbed == "one" or not meeting.all_say(True))

    jobs: Any = ["a", "b"]
    assert [bool(result.failure) for result in played(monkeypatch, play).run(jobs)] == [True, True]


def test_beside_a_side_that_was_not_built_the_other_runs_on_its_own_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = comparison_plan(FAST, SLOW, design="duet", pairs=4)
    ran_on: dict[int, object] = {}

    def run_trial(testbed: Any, trial: PlannedTrial, progress: Any) -> Evidence:
        ran_on[trial.number] = testbed.sets
        return evidence(trial, testbed.sets)

    monkeypatch.setattr(measuring, "run_trial", run_trial)
    monkeypatch.setattr(measuring, "keep_logs", lambda work, target: None)
    monkeypatch.setattr(measuring, "revive_database", lambda testbed, progress: None)
    context: Any = SimpleNamespace(host=host("small"))
    testbeds: Any = [SimpleNamespace(sets=sets) for sets in PLACES]
    built: Any = SimpleNamespace(not_built={("base", FAST): "no cache"}, job=lambda trial: trial)
    unused: Any = None
    journaled = Journaled(whole, "now", SessionOptions())
    session = Measuring(context, journaled, whole, tmp_path, Silent(), lambda: None, lambda: None, unused)
    session.run(testbeds, built, Duet(testbeds, Silent()))
    assert {trial.sets for trial in whole.trials if trial.number in ran_on} == {*PLACES}
    assert ran_on == {number: whole.trial(number).sets for number in ran_on}
