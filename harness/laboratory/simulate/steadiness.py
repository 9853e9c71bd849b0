"""The proofs of a made-up night: how far the figures of its phases may still drift."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

from plumbline.model.host import HostClass
from plumbline.model.plan import Phase
from plumbline.verdicts.figures.proof import COST, LATENCY, RATE, Drifts, PhaseProof, limit_of
from plumbline.verdicts.stats.drift import NOISE_DEGREES, Drift

# The error of the drift of a figure that stands still. A few phases in a hundred are still warming up, and fall.
_ERROR = 0.004
_WARMING, _FALL = 0.02, 0.08


def proofs_of(
    phases: Sequence[Phase], trials: Sequence[int], host_class: HostClass, draw: random.Random
) -> dict[str, PhaseProof]:
    """Return the proof of each loaded phase by its name, for a subject that ran under a scenario in `trials`."""
    proofs, load_s = {}, 0.0
    for phase in phases:
        load_s += phase.duration_s
        if phase.kind in ("closed", "open"):
            metrics = (RATE, COST, LATENCY) if phase.kind == "closed" else (COST, LATENCY)
            fall = _FALL if draw.random() < _WARMING else 0.0
            drifts = {metric: _drifts(phase, trials, fall, draw) for metric in metrics}
            proofs[phase.name] = PhaseProof(
                phase.name, phase.kind, drifts, phase.duration_s, load_s, limit_of(host_class)
            )
    return proofs


def _drifts(phase: Phase, trials: Sequence[int], fall: float, draw: random.Random) -> Drifts:
    error, seconds = _ERROR * draw.lognormvariate(0, 0.2), int(phase.duration_s) - 1
    drift_of_trial = {trial: Drift(fall + draw.gauss(0, error), error, NOISE_DEGREES, seconds, 1) for trial in trials}
    count = len(trials)
    pooled = Drift(
        sum(drift.estimate for drift in drift_of_trial.values()) / count,
        error / math.sqrt(count),
        NOISE_DEGREES * count + count - 1,
        seconds,
        count,
    )
    return Drifts(pooled, drift_of_trial)
