"""Rule R29 by class of host: a wide bound is reported, never passed in silence."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from itertools import pairwise

import pytest

from plumbline.model.evidence import Evidence
from plumbline.model.host import HostClass
from plumbline.verdicts.figures.proof import COST, LATENCY
from plumbline.verdicts.judge.referee import trial_verdict
from tests.judge.damage import each_measured, findings, measured
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


def test_a_quota_makes_requests_at_a_fixed_rate_wait_longer() -> None:
    whole = session()
    half = whole.plan.model_copy(update={"defaults": {**whole.plan.defaults, "cpu-share": "50"}})
    number, phase = measured(whole)[0], f"open@{OPEN_RATE}"
    for facts, utilisation in ((whole, 0.3), (replace(whole, plan=half), 0.6)):
        drifts = facts.proofs_of(facts.trials[number])[phase].drifts
        factor = drifts[LATENCY].drift.error / drifts[COST].drift.error
        assert factor == pytest.approx(1 / (1 - utilisation), rel=0.03)
