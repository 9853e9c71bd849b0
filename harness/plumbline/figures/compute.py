"""From the evidence of one trial to its figures."""

from __future__ import annotations

from plumbline.model.evidence import Evidence
from plumbline.model.host import CpuSets
from plumbline.model.plan import Scenario
from plumbline.model.record import Figures
from .cpu import cpu
from .latency import latency
from .memory import memory
from .metrics import METRICS
from .rounding import rounded
from .start import start
from .steady import steady, warm_ups_before
from .throughput import throughput
from .view import Found, view_of
from .warming import warming
from .whole import whole

# Goes up when a formula changes; records keep the version they were computed with.
FIGURES_VERSION = 3

# Where figures stand that belong to no single phase. No phase of a scenario has this name.
WHOLE_TRIAL = "trial"

FAMILIES = (start, warming, throughput, steady, latency, cpu, memory)


def figures(evidence: Evidence, scenario: Scenario, sets: CpuSets) -> Figures:
    """Every figure that the evidence yields, by phase and metric, rounded. Phases without figures are left
    out.
    """
    found = {WHOLE_TRIAL: _kept(whole(evidence))}
    for phase in scenario.phases:
        view = view_of(phase, evidence, sets, warm_ups_before(phase, scenario))
        found[phase.name] = {}
        for family in FAMILIES:
            found[phase.name] |= _kept(family(view))
    return {phase: metrics for phase, metrics in found.items() if metrics}


def _kept(found: Found) -> dict[str, float]:
    """What was found, in the order of the registry; a metric that is not registered raises KeyError."""
    for metric in found:
        METRICS[metric]
    return {metric: rounded(value) for metric in METRICS if (value := found.get(metric)) is not None}
