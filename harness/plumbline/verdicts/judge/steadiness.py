"""Puts in words how steady a phase was proven to be."""

from __future__ import annotations

import math

from plumbline.verdicts.figures.metrics import METRICS
from plumbline.verdicts.figures.proof import BUSIEST, COST, LATENCY, LEAST_MEASURED_S, PhaseProof, lasts_long_enough
from plumbline.verdicts.stats.drift import Drift
from .wording import percent, uncapitalized

LEAST_BOUND = 0.001
"""The narrowest bound that is stated: no figure is known more exactly."""


def words(proof: PhaseProof, metric: str) -> str:
    """Return `steady within 4 %`, `still changing: 5 % to 12 % ...` or `can't tell yet, ...` of a metric.

    A metric is not proven while another metric of the phase is still on its way: then the words are of that one.
    """
    drifts = proof.drifts.get(metric)
    if drifts is None or not drifts.drift.still_on_its_way:
        for other, others in proof.drifts.items():
            if others.drift.still_on_its_way:
                return f"{uncapitalized(METRICS[other].title)} is {still_changing(others.drift)}"
    if drifts is None:
        if metric == LATENCY and COST in proof.drifts:
            return f"not known: more than {percent(BUSIEST)} of the application's CPUs were busy, so queues may grow"
        return too_short(proof)
    return of_drift(drifts.drift, proof.limit)


def of_drift(drift: Drift, limit: float) -> str:
    """Return the words for a drift alone, whatever else changed in the phase."""
    if drift.steady_within(limit):
        return f"steady within {percent(max(LEAST_BOUND, drift.bound))}"
    if drift.still_on_its_way:
        return still_changing(drift)
    advice = "" if (more_s := drift.more_s(limit)) is None else f", {more_s} s more of each process would do"
    return f"can't tell yet{advice}: it may still change by {percent(max(LEAST_BOUND, drift.bound))}"


def too_short(proof: PhaseProof) -> str:
    """Return why nothing is known of how steady a phase was."""
    if not lasts_long_enough(proof.measured_s):
        return f"too short to tell: {proof.measured_s:.0f} s measured, and it takes {LEAST_MEASURED_S} s"
    return "not known for every second"


def still_changing(drift: Drift) -> str:
    """Return the words for a figure that is still changing."""
    near, far = (percent(math.expm1(end)) for end in sorted((abs(drift.low), abs(drift.high))))
    way = "better" if drift.estimate > 0 else "worse"
    return f"still changing: {near} to {far} {way} from end to end of the measured part"
