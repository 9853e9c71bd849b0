"""Rates that wait for a capacity: base's in a comparison, the slowest subject's in a suite, and nobody's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from plumbline.measuring.run import prepare as module
from plumbline.measuring.run.built import Built
from plumbline.measuring.run.job import Job
from plumbline.measuring.run.prepare import prepare
from plumbline.model.errors import AnswerIsNo
from plumbline.model.evidence import Evidence, Failure
from plumbline.model.plan import Plan
from plumbline.subjects.plan.phases import with_rates
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
    whole: Plan,
    failing: frozenset[str],
    monkeypatch: pytest.MonkeyPatch,
    failed: Change = never_came_so_far,
    *,
    rotated: frozenset[str] = frozenset(),
    loaded: list[str] | None = None,
) -> Plan:
    """The plan with its rates; `loaded` takes the subjects whose capacity was looked for."""

    def rehearse(testbed: Any, job: Any, progress: Any, *, finds_capacity: bool) -> Evidence:
        if finds_capacity and loaded is not None:
            loaded.append(job.subject.id)
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
    unused: Any = None
    built = Built(whole, unused)
    artifact: Any = object()
    built.artifacts = dict.fromkeys(whole.contenders, artifact)
    testbed: Any = type("Testbed", (), {"work": Path("/nowhere")})()
    return prepare(testbed, built, unused, Path("/logs"), Silent(), begun=False, rotated=rotated)


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


def test_a_subject_of_the_rotation_does_not_set_it(monkeypatch: pytest.MonkeyPatch) -> None:
    loaded: list[str] = []
    prepared_plan = prepared(waiting(plan()), frozenset(), monkeypatch, rotated=frozenset({SUBJECTS[1]}), loaded=loaded)
    others = [subject for subject in SUBJECTS if subject != SUBJECTS[1]]
    assert rate(prepared_plan) == pytest.approx(min(map(share, others)), rel=0.03)
    assert loaded == others


def test_a_rotation_alone_sets_it(monkeypatch: pytest.MonkeyPatch) -> None:
    prepared_plan = prepared(waiting(plan()), frozenset(), monkeypatch, rotated=frozenset(SUBJECTS))
    assert rate(prepared_plan) == pytest.approx(share(SUBJECTS[1]), rel=0.03)


def test_only_who_may_set_it_is_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    loaded: list[str] = []
    prepared(waiting(comparison_plan(FAST, SLOW)), frozenset(), monkeypatch, loaded=loaded)
    assert loaded == [FAST]


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
    def provide(testbed: Any, built: Built, trial: Any, *others: Any) -> None:
        if trial.subject == SUBJECTS[1]:
            built.not_built[trial.contender] = "no cache"

    monkeypatch.setattr(module, "_provide_cache", provide)
    assert rate(prepared(waiting(plan()), frozenset(), monkeypatch)) == pytest.approx(share(SUBJECTS[0]), rel=0.03)


@pytest.mark.parametrize("finds_capacity", [False, True])
def test_a_rehearsal_has_load_only_to_find_a_capacity(finds_capacity: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where the rates are set already: a start before a warm trial is a start alone."""
    jobs: list[Job] = []
    monkeypatch.setattr(module, "run_trial", lambda testbed, job, progress: jobs.append(job))
    whole = waiting(plan())
    nothing: Any = None
    job = Job(
        trial=whole.trials[0],
        scenario=with_rates(whole.scenarios[0], 1000.0),
        subject=whole.subject(SUBJECTS[0]),
        variant=nothing,
        artifact=nothing,
        settings={},
        java=nothing,
    )
    module.rehearse(nothing, job, Silent(), finds_capacity=finds_capacity)
    assert any(phase.duration_s for phase in jobs[0].scenario.phases) == finds_capacity
