"""Rates that wait for a capacity: base's in a comparison, the slowest subject's in a suite, and nobody's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from plumbline.measuring.run import prepare as module
from plumbline.measuring.run.built import Built
from plumbline.measuring.run.prepare import prepare, rehearsal_scenario
from plumbline.model.errors import AnswerIsNo
from plumbline.model.evidence import Evidence, Failure
from plumbline.model.plan import OPEN_VUS, Plan
from tests.judge.damage import Change, with_fields, with_load
from tests.judge.evidence import evidence
from tests.judge.planned import CAPACITY, CONTROL, SUBJECTS, plan
from tests.record.comparisons import FAST, SLOW, comparison_plan
from tests.run.test_duet import Silent


def waiting(whole: Plan) -> Plan:
    """The plan with an open rate of half a capacity that is not known yet."""
    scenario = whole.scenarios[0]
    phases = tuple(
        phase.model_copy(update={"rate_share": 0.5, "rate_per_s": None}) if phase.kind == "open" else phase
        for phase in scenario.phases
    )
    return whole.model_copy(update={"scenarios": (scenario.model_copy(update={"phases": phases}),)})


def never_came_so_far(measured: Evidence) -> Evidence:
    return measured.model_copy(update={"load": ()})


def prepared(
    whole: Plan, failing: frozenset[str], monkeypatch: pytest.MonkeyPatch, failed: Change = never_came_so_far
) -> Plan:
    def rehearse(testbed: Any, job: Any, progress: Any) -> Evidence:
        trial = whole.trials[0].model_copy(update={"subject": job.subject.id})
        measured = evidence(trial, whole.sets)
        return failed(measured) if job.subject.id in failing else measured

    monkeypatch.setattr(module, "rehearse", rehearse)
    monkeypatch.setattr(module, "keep_logs", lambda work, target: None)
    monkeypatch.setattr(module, "revive_database", lambda testbed, progress: None)
    monkeypatch.setattr(
        Built,
        "job",
        lambda self, trial: type(
            "J",
            (),
            {
                "subject": type("S", (), {"id": trial.subject, "packaging": "jvm"})(),
                "settings": {"cpu-share": "100", "db-disk": "full"},
            },
        )(),
    )
    sources: Any = None
    built = Built(whole, sources)
    artifact: Any = object()
    built.artifacts = dict.fromkeys(whole.contenders, artifact)
    testbed: Any = type("Testbed", (), {"work": Path("/nowhere")})()
    return prepare(testbed, built, Path("/logs"), Silent(), begun=False)


def rate(whole: Plan) -> float | None:
    return next(phase.rate_per_s for phase in whole.scenarios[0].phases if phase.kind == "open")


def share(subject: str) -> int:
    return int(float(f"{CAPACITY[subject] * 0.5:.2g}"))


@pytest.mark.parametrize(("base", "head"), [(FAST, SLOW), (SLOW, FAST), (CONTROL, FAST)])
def test_base_sets_the_rate(base: str, head: str, monkeypatch: pytest.MonkeyPatch) -> None:
    prepared_plan = prepared(waiting(comparison_plan(base, head)), frozenset(), monkeypatch)
    assert rate(prepared_plan) == pytest.approx(share(base), rel=0.03)


def test_the_slowest_sets_it_in_a_suite(monkeypatch: pytest.MonkeyPatch) -> None:
    prepared_plan = prepared(waiting(plan()), frozenset(), monkeypatch)
    assert rate(prepared_plan) == pytest.approx(share(SUBJECTS[1]), rel=0.03)


def test_head_sets_it_where_base_failed_its_rehearsal(monkeypatch: pytest.MonkeyPatch) -> None:
    prepared_plan = prepared(waiting(comparison_plan(FAST, SLOW)), frozenset({FAST}), monkeypatch)
    assert rate(prepared_plan) == pytest.approx(share(SLOW), rel=0.03)


def test_nobody_sets_it(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(AnswerIsNo, match="no rate could be set"):
        prepared(waiting(comparison_plan(FAST, SLOW)), frozenset({FAST, SLOW}), monkeypatch)


@pytest.mark.parametrize(
    "failed",
    [
        with_load("closed", requests=3000, completed=2500, failed=40),
        with_fields(failure=Failure(phase="closed", problem="The application died.")),
    ],
    ids=["requests that failed", "a rehearsal that failed"],
)
def test_who_fails_sets_nobodys_rate(failed: Change, monkeypatch: pytest.MonkeyPatch) -> None:
    prepared_plan = prepared(waiting(plan()), frozenset({SUBJECTS[1]}), monkeypatch, failed)
    assert rate(prepared_plan) == pytest.approx(share(SUBJECTS[0]), rel=0.03)


def test_a_subject_without_its_cache_is_not_rehearsed(monkeypatch: pytest.MonkeyPatch) -> None:
    def train(testbed: Any, built: Built, trial: Any, *others: Any) -> None:
        if trial.subject == SUBJECTS[1]:
            built.not_built[trial.contender] = "no cache"

    monkeypatch.setattr(module, "_train_cache", train)
    assert rate(prepared(waiting(plan()), frozenset(), monkeypatch)) == pytest.approx(share(SUBJECTS[0]), rel=0.03)


def test_shares_alone_are_rehearsed_with_the_clients_of_open_load() -> None:
    scenario = waiting(plan()).scenarios[0]
    alone = scenario.model_copy(update={"phases": tuple(phase for phase in scenario.phases if not phase.connections)})
    assert {phase.connections for phase in rehearsal_scenario(alone).phases if phase.duration_s} == {OPEN_VUS[0]}
