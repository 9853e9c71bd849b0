"""Prove that the figures of a phase are those of a warm program: all processes together bound how far the figures may
drift.

A closed phase is told by its rate and by the application's CPU time per request, second by second. The mean latency of
a closed loop is its connections over that rate (Little 1961), and drifts as it does. An open phase has a fixed rate, so
it is told by CPU time alone; no latency is recorded by the second, and it may drift farther than the work does, since
requests wait for those before them: at a utilisation rho by up to 1 / (1 - rho) times as much (Kleinrock 1975, M/M/1).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from plumbline.model.evidence import Evidence
from plumbline.model.host import CpuSets, HostClass
from plumbline.model.plan import Phase, PhaseKind, Scenario
from plumbline.verdicts.stats.compare import Better
from plumbline.verdicts.stats.drift import LAB_LIMIT, LEAST_S, OTHER_LIMIT, Drift, drift
from plumbline.verdicts.stats.interval import mean
from .metrics import METRICS
from .steady import seconds_of, stretches

RATE, COST, LATENCY = "throughput_per_s", "app_cpu_us_per_request", "latency_mean_ms"
LEAST_MEASURED_S = LEAST_S + 1
"""The first and the last row of a phase lie within it: it has one second less than it lasts."""

BUSIEST = 0.95
"""The share of the application's CPUs above which a queue may have no bound."""


@dataclass(frozen=True)
class SubjectProcess:
    """A process of a subject: the number of its trial, and its evidence."""

    trial: int
    evidence: Evidence
    sets: CpuSets


@dataclass(frozen=True)
class Drifts:
    """The bound of a figure's drift by all processes; `alone` has the drift of each process by its trial."""

    drift: Drift
    alone: Mapping[int, Drift]

    def times(self, factor: float) -> Drifts:
        """Return the proof of a figure whose logarithm moves `factor` times as far."""
        return Drifts(
            self.drift.times(factor), {trial: its.times(factor) for trial, its in self.alone.items()}
        )


@dataclass(frozen=True)
class PhaseProof:
    """The proof of steadiness that a phase gave: `drifts` are by metric, empty where the phase has too few seconds.

    `measured_s` are the seconds of the shortest of its processes, `load_s` those of load up to its end. A figure is
    proven within `limit`, that of the class of host.
    """

    phase: str
    kind: PhaseKind
    drifts: Mapping[str, Drifts]
    measured_s: float
    load_s: float
    limit: float

    @property
    def metrics(self) -> tuple[str, ...]:
        """The metrics whose drift tells of the phase."""
        return (COST, LATENCY) if self.kind == "open" else (RATE, COST, LATENCY)

    def holds(self, metric: str) -> bool:
        """Return whether a metric is within the limit, and nothing in the phase is still on its way."""
        its = self.drifts.get(METRICS[metric].proven_by or "")
        return (
            its is not None
            and its.drift.steady_within(self.limit)
            and not any(one.drift.still_on_its_way for one in self.drifts.values())
        )

    def proves(self, metric: str, trial: int) -> bool:
        """Return whether a trial's figure is one of a warm program: its own seconds tell of it, and hold still."""
        its = self.drifts.get(METRICS[metric].proven_by or "")
        if its is None or trial not in its.alone or not self.holds(metric):
            return False
        return not any(
            one.alone[trial].still_on_its_way for one in self.drifts.values() if trial in one.alone
        )


def limit_of(host_class: HostClass) -> float:
    """Return how far a proven figure may still drift on a host of this class, as a share."""
    return LAB_LIMIT if host_class == "lab" else OTHER_LIMIT


def proofs(
    scenario: Scenario, processes: Iterable[SubjectProcess], host_class: HostClass
) -> dict[str, PhaseProof]:
    """Return the proof of each closed and open phase, by its name; `processes` are of one subject and scenario."""
    its = list(processes)
    return {
        phase.name: _proof(phase, scenario, its, limit_of(host_class))
        for phase in scenario.phases
        if phase.kind in ("closed", "open")
    }


def _proof(phase: Phase, scenario: Scenario, processes: list[SubjectProcess], limit: float) -> PhaseProof:
    rates: dict[int, list[float]] = {}
    costs: dict[int, list[float]] = {}
    busy: list[float] = []
    lengths_s: list[float] = []
    for one in processes:
        window = next((its for its in one.evidence.windows if its.phase == phase.name), None)
        if window is None:
            continue
        lengths_s.append(window.end_s - window.start_s)
        seconds = seconds_of(one.evidence.series, window.start_s, window.end_s) or []
        rates[one.trial] = [rate for rate, _ in seconds]
        costs[one.trial] = [cost for _, cost in seconds if cost is not None]
        available_us = 1e6 * max(1, len(one.sets.app))
        busy += [rate * cost / available_us for rate, cost in seconds if cost is not None]
    cost = _drifts_of(costs, higher=False)
    rate = _drifts_of(rates, higher=True) if phase.kind == "closed" else None
    latency = rate if phase.kind == "closed" else _waiting(cost, busy)
    found = ((RATE, rate), (COST, cost), (LATENCY, latency))
    drifts = {metric: its for metric, its in found if its is not None}
    load_s = min((_load_s(scenario, phase, one.evidence) for one in processes), default=0.0)
    return PhaseProof(phase.name, phase.kind, drifts, min(lengths_s, default=0.0), load_s, limit)


def _drifts_of(series: Mapping[int, list[float]], *, higher: bool) -> Drifts | None:
    """Return the drift by the processes that were read long enough; the others prove nothing."""
    better: Better = "higher" if higher else "lower"
    alone = {trial: its for trial, values in series.items() if (its := drift([values], better)) is not None}
    found = drift([series[trial] for trial in alone], better)
    return None if found is None else Drifts(found, alone)


def _waiting(cost: Drifts | None, busy: list[float]) -> Drifts | None:
    """Return the drift of a latency at a fixed rate, from that of the work; None where the queue may have no bound."""
    share = mean(busy) if busy else 1.0
    if cost is None or share > BUSIEST:
        return None
    return cost.times(1 / (1 - share))


def _load_s(scenario: Scenario, phase: Phase, evidence: Evidence) -> float:
    """Return seconds of load from the first to the end of a phase, pauses left out."""
    windows = {window.phase: window for window in evidence.windows}
    return sum(
        end_s - start_s
        for one in scenario.phases[: scenario.phases.index(phase) + 1]
        if one.kind in ("warm-up", "closed", "open")
        for start_s, end_s in stretches(one, windows.get(one.name))
    )
