"""Rule R29 by class of host: a wide bound is reported, never passed in silence."""

from __future__ import annotations

import math
import random
from collections.abc import Iterable
from dataclasses import replace
from itertools import pairwise

import pytest

from plumbline.archive.record.steadiness import steadiness
from plumbline.model.evidence import Evidence
from plumbline.model.host import HostClass
from plumbline.model.plan import PhaseKind
from plumbline.model.record import Finding
from plumbline.verdicts.figures.proof import COST, LATENCY, LEAST_MEASURED_S, RATE, Drifts, PhaseProof
from plumbline.verdicts.judge.referee import judge, trial_verdict
from plumbline.verdicts.judge.steadiness import too_short
from plumbline.verdicts.stats.drift import Drift
from tests.judge.damage import Change, both, damaged, each_measured, findings, measured, with_column, with_load
from tests.judge.evidence import session
from tests.judge.planned import OPEN_RATE, SUBJECTS


def noisier(evidence: Evidence) -> Evidence:
    """CPU time that scatters by a quarter from second to second, in each trial in another way."""
    draw = random.Random(evidence.trial)
    columns = dict(evidence.series.columns)
    for column in ("cpu.app.user_us", "cpu.app.system_us"):
        values = [value or 0.0 for value in columns[column]]
        noised = [values[0]]
        for before, after in pairwise(values):
            noised.append(noised[-1] + (after - before) * math.exp(draw.gauss(0, 0.25)))
        columns[column] = tuple(noised)
    return evidence.model_copy(update={"series": evidence.series.model_copy(update={"columns": columns})})


@pytest.mark.parametrize(
    ("host_class", "words"),
    [("small", "steady within "), ("shared", "steady within "), ("lab", "can't tell yet, ")],
)
def test_a_wide_bound_is_a_warning_with_the_bound_in_words(host_class: HostClass, words: str) -> None:
    noisy = each_measured(session(host_class), SUBJECTS[0], noisier)
    found = findings(noisy, measured(noisy)[0], "R29")["closed"]
    assert found.outcome == "warn"
    assert f"Application CPU per request: {words}" in found.reading
    assert found.value is not None
    assert found.value > 0.02
    assert found.threshold == 0.02
    assert trial_verdict([found], host_class) == "advisory"


def falling(evidence: Evidence) -> Evidence:
    """A rate that falls by a fifth in the middle of the closed phase, as beside a neighbour."""
    middle_s = next((window.start_s + window.end_s) / 2 for window in evidence.windows if window.phase == "closed")
    before = max(
        value or 0.0
        for t_s, value in zip(evidence.series.t_s, evidence.series.columns["load.requests"], strict=True)
        if t_s <= middle_s
    )
    fall = with_column("load.requests", lambda t_s, value: value - max(0.0, value - before) * 0.2)
    return fall(evidence)


def test_a_refused_trial_does_not_decide_whether_the_others_were_steady() -> None:
    first, *others = measured(session())

    def outcomes(fault: Change) -> set[str]:
        judged = judge(damaged(session(), first, fault))
        rules = [finding.rule for finding in judged[first]]
        assert rules == [finding.rule for finding in judge(session())[first]]
        return {outcome for number in others for outcome in _of_r29(judged[number])}

    assert outcomes(falling) == {"warn"}
    assert outcomes(both(falling, with_load("closed", failed=500))) == {"pass"}


def _of_r29(found: Iterable[Finding]) -> list[str]:
    return [finding.outcome for finding in found if (finding.rule, finding.phase) == ("R29", "closed")]


def test_all_trials_prove_how_steady_a_subject_was_where_each_is_refused() -> None:
    whole = each_measured(session(), SUBJECTS[0], with_load("closed", failed=500))
    judged = judge(damaged(whole, measured(whole)[0], falling))
    for number in measured(whole)[1:]:
        assert _of_r29(judged[number]) == ["warn"]


@pytest.mark.parametrize("start_s", [50.0, 50.002, 50.005])
def test_a_phase_of_the_least_length_is_long_enough_whenever_it_starts(start_s: float) -> None:
    whole, phase = session(), f"open@{OPEN_RATE}"

    def moved(evidence: Evidence) -> Evidence:
        *windows, opened = evidence.windows
        ends = {"start_s": start_s, "end_s": round(start_s + LEAST_MEASURED_S, 3)}
        return evidence.model_copy(update={"windows": (*windows, opened.model_copy(update=ends))})

    number = measured(whole)[0]
    assert findings(damaged(whole, number, moved), number, "R29")[phase].outcome == "pass"
    drifts = {COST: Drifts(STILL, {1: STILL})}
    assert "too short" not in too_short(PhaseProof(phase, "open", drifts, 65.002 - 50.002, 60, 0.2))


def test_a_quota_makes_requests_at_a_fixed_rate_wait_longer() -> None:
    whole = session()
    half = whole.plan.model_copy(update={"defaults": {**whole.plan.defaults, "cpu-share": "50"}})
    number, phase = measured(whole)[0], f"open@{OPEN_RATE}"
    for facts, utilisation in ((whole, 0.3), (replace(whole, plan=half), 0.6)):
        drifts = facts.proofs_of(facts.trials[number])[phase].drifts
        factor = drifts[LATENCY].drift.error / drifts[COST].drift.error
        assert factor == pytest.approx(1 / (1 - utilisation), rel=0.03)


STILL = Drift(estimate=0.0, error=0.005, degrees=14, seconds=60, processes=3)
RISING = Drift(estimate=0.5, error=0.01, degrees=14, seconds=60, processes=3)


def words_of(kind: PhaseKind, drifts: dict[str, Drift]) -> dict[str, str]:
    """Metric -> the words of a phase with these drifts."""
    by_metric = {metric: Drifts(drift, {1: drift}) for metric, drift in drifts.items()}
    proof = PhaseProof("p", kind, by_metric, 60, 60, 0.2)
    return {row.metric: row.words for row in steadiness({(None, "a/jvm/pg", "fruits@1"): {"p": proof}})}


def test_a_figure_that_another_one_condemns_is_not_called_steady() -> None:
    words = words_of("closed", {RATE: STILL, COST: RISING, LATENCY: STILL})
    assert words[COST].startswith("still changing: ")
    assert words[RATE] == words[LATENCY] == f"application CPU per request is {words[COST]}"


def test_a_queue_without_a_bound_is_the_reason_where_the_cost_of_every_second_is_known() -> None:
    words = words_of("open", {COST: STILL})
    assert words[COST].startswith("steady within ")
    assert words[LATENCY] == "not known: more than 95 % of the application's CPUs were busy, so queues may grow"
