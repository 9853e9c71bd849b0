"""What the phases of a made-up night proved of their drift."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

from plumbline.model.host import HostClass
from plumbline.model.plan import Phase
from plumbline.verdicts.figures.proof import COST, LATENCY, RATE, Drifts, PhaseProof, limit_of
from plumbline.verdicts.stats.drift import NOISE_DEGREES, Drift

# Of the bound of a figure that stands still; a few in a hundred have not ended warming up.
_ERROR = 0.004
_WARMING, _FALL = 0.02, 0.08


def proofs_of(
    phases: Sequence[Phase], trials: Sequence[int], host_class: HostClass, draw: random.Random
) -> dict[str, PhaseProof]:
    """The proof of each loaded phase by its name, for a subject that ran under a scenario in some trials."""
    found, load_s = {}, 0.0
    for phase in phases:
        load_s += phase.duration_s
        if phase.kind in ("closed", "open"):
            metrics = (RATE, COST, LATENCY) if phase.kind == "closed" else (COST, LATENCY)
            fall = _FALL if draw.random() < _WARMING else 0.0
            told = {metric: _told(phase, trials, fall, draw) for metric in metrics}
            found[phase.name] = PhaseProof(
                phase.name, phase.kind, told, phase.duration_s, load_s, limit_of(host_class)
            )
    return found


def _told(phase: Phase, trials: Sequence[int], fall: float, draw: random.Random) -> Drifts:
    error, seconds = _ERROR * draw.lognormvariate(0, 0.2), int(phase.duration_s) - 1
    alone = {trial: Drift(fall + draw.gauss(0, error), error, NOISE_DEGREES, seconds, 1) for trial in trials}
    count = len(trials)
    together = Drift(
        sum(one.estimate for one in alone.values()) / count,
        error / math.sqrt(count),
        NOISE_DEGREES * count + count - 1,
        seconds,
        count,
    )
    return Drifts(together, alone)
