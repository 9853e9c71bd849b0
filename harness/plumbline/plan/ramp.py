"""How high a ramp of open rates goes: until the load generator of the host can prove no more.

A rate that k6 itself can't start says nothing of the application; k6 starts about 5,000 arrivals a second for each
of its CPUs before it drops some.
"""

from __future__ import annotations

from plumbline.catalog.bench import PhaseSpec
from plumbline.model.host import CpuSets

ARRIVALS_A_CPU = 5_000


def provable_per_s(sets: CpuSets) -> int:
    """Arrivals a second that the load generator's CPUs can prove."""
    return ARRIVALS_A_CPU * len(sets.load)


def up_to(phases: tuple[PhaseSpec, ...], most_per_s: int) -> tuple[PhaseSpec, ...]:
    """The phases with the rates that can be proven, the lowest one in any case."""
    rates = [rate for phase in phases for rate in phase.rates if isinstance(rate, int)]
    most = max(most_per_s, min(rates, default=0))
    kept = (
        phase
        if phase.kind != "open"
        else phase.model_copy(
            update={"rates": tuple(rate for rate in phase.rates if isinstance(rate, int) and rate <= most)}
        )
        for phase in phases
    )
    return tuple(phase for phase in kept if phase.kind != "open" or phase.rates)
