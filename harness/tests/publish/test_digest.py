"""The interval of a point of the trends is that of the standings: over the same trials, with the same strata."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from plumbline.archive.history.series import FigureSeries
from plumbline.model.record import Record
from plumbline.reporting.publish.digest import digest, to_digits
from plumbline.reporting.publish.gaps import gaps_of
from plumbline.reporting.publish.hosts import _changes
from tests.history.series_of import series
from tests.record.hosts import on, together_on
from tests.record.sessions import record

START = ("start", "first_response_ms")


def halves_of(whole: Record) -> dict[str, float | None]:
    """Half the interval of the logarithm of each subject's start."""
    phase, metric = START
    return {subject: scenarios["fruits@1"][phase][metric] for subject, scenarios in digest(whole).halves.items()}


def halves_of_standings(whole: Record) -> dict[str, float | None]:
    return {
        row.subject: None
        if row.mean is None or row.high is None
        else to_digits(math.log(row.high) - math.log(row.mean), 3)
        for row in whole.standings
        if (row.phase, row.metric) == START
    }


@pytest.mark.slow
def test_hosts_of_a_joined_session_are_strata() -> None:
    together, _ = together_on(on("lab-a", 3), on("lab-b", 3, slower=1.5))
    halves = halves_of(together)
    assert halves == halves_of_standings(together)
    # The hosts are half as much apart, which is no scatter of trials.
    assert all(half is not None and half < 0.02 for half in halves.values())


def test_a_proof_is_no_trial_of_its_subject() -> None:
    """A proof runs under another condition, such as three quarters of the CPUs."""
    plain = record("lab", 5)
    proof = next(trial for trial in plain.trials if trial.role == "measured").model_copy(
        update={"role": "proof", "figures": {START[0]: {START[1]: 1e6}}}
    )
    assert halves_of(plain.model_copy(update={"trials": (*plain.trials, proof)})) == halves_of(plain)
    assert halves_of(plain) == halves_of_standings(plain)


def of_suite(suite: str, *, phases: int = 1) -> Record:
    """A session of a suite in which every trial was refused."""
    base = record()
    (scenario,) = base.plan.scenarios
    scenarios = (scenario.model_copy(update={"phases": scenario.phases * phases}),)
    return base.model_copy(
        update={
            "plan": base.plan.model_copy(update={"suite": suite, "scenarios": scenarios}),
            "trials": tuple(trial.model_copy(update={"verdict": "invalid"}) for trial in base.trials),
        }
    )


def test_a_session_against_itself_leaves_no_gap_in_a_chart() -> None:
    assert gaps_of([digest(of_suite("nightly"))]).refused
    assert not gaps_of([digest(of_suite("aa"))]).refused


def test_the_words_of_a_phase_hold_no_rate_of_one_night() -> None:
    base = record()
    (scenario,) = base.plan.scenarios
    phases = tuple(
        phase.model_copy(update={"rate_per_s": 2_400, "rate_share": 0.8}) if phase.kind == "open" else phase
        for phase in scenario.phases
    )
    rated = scenario.model_copy(update={"phases": phases})
    night = base.model_copy(update={"plan": base.plan.model_copy(update={"scenarios": (rated,)})})
    words = [where for _, kind, where in digest(night).phases[scenario.id] if kind == "open"]
    assert words and all(where.endswith(" of capacity") for where in words)


def test_other_phases_are_no_change_of_the_host() -> None:
    night, other = digest(of_suite("nightly")), digest(of_suite("glance", phases=2))
    assert night.environment != other.environment
    assert not list(_changes([night, other, night]))


def test_a_gap_is_of_the_metric_that_was_not_proven_steady() -> None:
    unsteady = {"vertx-pg/jvm/pg": {"fruits@1": {"open": {"latency_p99_ms": "still changing"}}}}
    gaps = gaps_of([digest(record())._replace(unsteady=unsteady)])
    latency = FigureSeries(
        id="x",
        better="lower",
        points=series([]).points,
        subject="vertx-pg/jvm/pg",
        scenario="fruits@1",
        phase="open",
        metric="latency_p99_ms",
        host=record().host.name,
    )
    assert [gap.reason for gap in gaps.of(latency) if gap.unsteady] == ["still changing"]
    assert gaps.of(replace(latency, metric="app_cpu_us_per_request")) == []
