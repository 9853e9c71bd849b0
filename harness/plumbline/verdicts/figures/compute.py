"""Compute the figures of a trial from its evidence."""

from __future__ import annotations

from collections.abc import Mapping

from plumbline.model.evidence import Evidence
from plumbline.model.host import CpuSets
from plumbline.model.plan import Scenario
from plumbline.model.record import Figures
from .latency import latency
from .metrics import METRICS
from .process import cpu, memory, start, whole_trial
from .proof import RATE, PhaseProof, named_by_proof
from .series import rounded
from .steady import first_seconds, steady, warming
from .throughput import batches, throughput
from .view import FigureValues, view_of

# Goes up when a formula changes; records keep the version they were computed with.
FIGURES_VERSION = 12

# The name under which figures stand that belong to no single phase. No phase of a scenario has this name.
WHOLE_TRIAL = "trial"

FAMILIES = (start, first_seconds, warming, throughput, steady, latency, cpu, memory, batches)

NOTHING_PROVEN: Mapping[str, PhaseProof] = {}


def figures(
    evidence: Evidence,
    scenario: Scenario,
    sets: CpuSets,
    proofs: Mapping[str, PhaseProof] = NOTHING_PROVEN,
) -> Figures:
    """Return every figure that the evidence yields, by phase and metric, rounded. Phases without figures are left out.

    A figure that the phase did not prove to be of a warm program stands under another name (`metrics.WARMING`).
    """
    by_phase = {WHOLE_TRIAL: _rounded_in_order(whole_trial(evidence))}
    for phase in scenario.phases:
        proof = proofs.get(phase.name)
        view = view_of(phase, scenario, evidence, sets, _proven_limit(proof, evidence.trial))
        by_phase[phase.name] = {}
        for family in FAMILIES:
            by_phase[phase.name] |= _rounded_in_order(named_by_proof(family(view), proof, evidence.trial))
    return {phase: metrics for phase, metrics in by_phase.items() if metrics}


def _proven_limit(proof: PhaseProof | None, trial: int) -> float | None:
    return proof.limit if proof is not None and proof.proves(RATE, trial) else None


def _rounded_in_order(by_metric: FigureValues) -> dict[str, float]:
    """Return the figures in the order of the registry of metrics. Raises KeyError for an unknown metric."""
    for metric in by_metric:
        METRICS[metric]
    return {metric: rounded(value) for metric in METRICS if (value := by_metric.get(metric)) is not None}
