"""A phase of a trial with the evidence that belongs to it, as every family of figures gets it."""

from __future__ import annotations

from dataclasses import dataclass

from plumbline.model.evidence import Evidence, LoadResult, Series, Window
from plumbline.model.host import CpuSets
from plumbline.model.plan import Phase, Scenario

FigureValues = dict[str, float | None]
"""metric -> value before rounding; None where the evidence is missing."""


@dataclass(frozen=True)
class PhaseView:
    """A phase of a trial, as figures see it. `window` and `load` are None when the trial did not get that far, or the
    phase has none.

    `steady_within` is the limit of the class of host within which the rate of the phase is proven steady, as a share;
    None for a phase that is not.
    """

    phase: Phase
    scenario: Scenario
    window: Window | None
    load: LoadResult | None
    evidence: Evidence
    sets: CpuSets
    steady_within: float | None = None

    @property
    def series(self) -> Series:
        """The one-second series of the whole trial."""
        return self.evidence.series


def view_of(
    phase: Phase, scenario: Scenario, evidence: Evidence, sets: CpuSets, steady_within: float | None = None
) -> PhaseView:
    """Return the phase with its window and its load."""
    return PhaseView(
        phase=phase,
        scenario=scenario,
        window=next((window for window in evidence.windows if window.phase == phase.name), None),
        load=next((load for load in evidence.load if load.phase == phase.name), None),
        evidence=evidence,
        sets=sets,
        steady_within=steady_within,
    )


def ratio(value: float | None, by: float | None) -> float | None:
    """Return `value / by`; None when one of them is missing or `by` is 0."""
    return None if value is None or by is None or by <= 0 else value / by
