"""Puts in words how steady a phase was proven to be."""

from __future__ import annotations

import math

from plumbline.verdicts.figures.proof import LEAST_MEASURED_S, PhaseProof
from plumbline.verdicts.stats.drift import Drift
from .wording import percent

LEAST_BOUND = 0.001
"""The narrowest bound that is stated: no figure is known more exactly."""


def words(proof: PhaseProof, metric: str) -> str:
    """Return `steady within 4 %`, `still changing, by 5 to 12 % ...` or `can't tell yet, ...` of a metric."""
    drifts = proof.drifts.get(metric)
    if drifts is None:
        return too_short(proof)
    drift = drifts.drift
    if drift.steady_within(proof.limit):
        return f"steady within {percent(max(LEAST_BOUND, drift.bound))}"
    if drift.still_on_its_way:
        return still_changing(drift)
    advice = "" if (more_s := drift.more_s(proof.limit)) is None else f", {more_s} s more of each process would do"
    return f"can't tell yet{advice}: it may still change by {percent(max(LEAST_BOUND, drift.bound))}"


def too_short(proof: PhaseProof) -> str:
    """Return why nothing is known of how steady a phase was."""
    if proof.measured_s < LEAST_MEASURED_S:
        return f"too short to tell: {proof.measured_s:.0f} s measured, and it takes {LEAST_MEASURED_S} s"
    return "not known for every second"


def still_changing(drift: Drift) -> str:
    """Return the words for a figure that is still changing."""
    near, far = (percent(math.expm1(end)) for end in sorted((abs(drift.low), abs(drift.high))))
    way = "better" if drift.estimate > 0 else "worse"
    return f"still changing: {near} to {far} {way} from end to end of the measured part"
