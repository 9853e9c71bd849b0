"""Prove that the figures of a phase are those of a warm program: all processes together bound how far the figures may
drift.

A closed phase is judged by its rate and by the application's CPU time per request, second by second. The mean latency
of a closed loop is its connections over that rate (Little 1961), and drifts as the rate does. An open phase has a fixed
rate, so it is judged by CPU time alone. No latency is recorded by the second, and latency may drift farther than the
work does, since requests wait for the requests before them: at a utilisation rho by up to 1 / (1 - rho) times as much
(Kleinrock 1975, M/M/1).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from plumbline.model.evidence import Evidence, Window
from plumbline.model.host import CpuSets, HostClass
from plumbline.model.plan import Phase, PhaseKind, Scenario
from plumbline.verdicts.stats.compare import Better
from plumbline.verdicts.stats.drift import LAB_LIMIT, LEAST_S, OTHER_LIMIT, Drift, drift
from plumbline.verdicts.stats.interval import mean
from .metrics import METRICS, WARMING
from .shares import busy_share, own_share
from .steady import CLOCK_S, seconds_of, stretches

RATE, COST, LATENCY = "throughput_per_s", "app_cpu_us_per_request", "latency_mean_ms"
LEAST_MEASURED_S = LEAST_S + 1
"""The first and the last row of a phase lie within it: it has one second less than it lasts."""


def lasts_long_enough(measured_s: float) -> bool:
    """Return whether a phase is long enough to tell how far it drifted; its ends are rounded times."""
    return measured_s >= LEAST_MEASURED_S - CLOCK_S


BUSIEST = 0.95
"""The utilisation above which a queue may have no bound."""


@dataclass(frozen=True)
class SubjectProcess:
    """A process of a subject: the number of its trial, its evidence, and the share of the time of its CPUs that it may
    use.
    """

    trial: int
    evidence: Evidence
    sets: CpuSets
    cpu_share: float = 1.0


@dataclass(frozen=True)
class Drifts:
    """The drift of a figure over all processes together; `alone` has the drift of each process, by its trial."""

    drift: Drift
    alone: Mapping[int, Drift]

    def times(self, factor: float) -> Drifts:
        """Return the drifts of a figure whose logarithm moves `factor` times as far."""
        return Drifts(
            self.drift.times(factor),
            {trial: own_drift.times(factor) for trial, own_drift in self.alone.items()},
        )


@dataclass(frozen=True)
class PhaseProof:
    """The proof of how steady a phase was: `drifts` are by metric, empty where the phase has too few seconds.

    `measured_s` are the seconds of the shortest of its processes, `load_s` those of load up to its end. A figure is
    proven within `limit`, the limit of the class of host.
    """

    phase: str
    kind: PhaseKind
    drifts: Mapping[str, Drifts]
    measured_s: float
    load_s: float
    limit: float

    @property
    def metrics(self) -> tuple[str, ...]:
        """The metrics whose drift is stated for the phase."""
        return (COST, LATENCY) if self.kind == "open" else (RATE, COST, LATENCY)

    def holds(self, metric: str) -> bool:
        """Return whether a metric is within the limit, and no metric of the phase is still on its way."""
        proven = self.drifts.get(METRICS[metric].proven_by or "")
        return (
            proven is not None
            and proven.drift.steady_within(self.limit)
            and not any(drifts.drift.still_on_its_way for drifts in self.drifts.values())
        )

    def proves(self, metric: str, trial: int) -> bool:
        """Return whether a trial's figure is one of a warm program: its own drifts are known and not on their way."""
        proven = self.drifts.get(METRICS[metric].proven_by or "")
        if proven is None or trial not in proven.alone or not self.holds(metric):
            return False
        return not any(drifts.alone[trial].still_on_its_way for drifts in self.drifts.values() if trial in drifts.alone)


_Value = TypeVar("_Value", float, float | None)


def named_by_proof(by_metric: Mapping[str, _Value], proof: PhaseProof | None, trial: int) -> dict[str, _Value]:
    """Return the figures of a phase, each by the name that its proof allows."""
    return {
        metric
        if metric not in WARMING or (proof is not None and proof.proves(metric, trial))
        else WARMING[metric]: value
        for metric, value in by_metric.items()
    }


def limit_of(host_class: HostClass) -> float:
    """Return how far a proven figure may still drift on a host of this class, as a share."""
    return LAB_LIMIT if host_class == "lab" else OTHER_LIMIT


def proofs(scenario: Scenario, processes: Iterable[SubjectProcess], host_class: HostClass) -> dict[str, PhaseProof]:
    """Return the proof of each closed and open phase, by its name; `processes` are of one subject and scenario."""
    subject_processes = list(processes)
    return {
        phase.name: _proof(phase, scenario, subject_processes, limit_of(host_class))
        for phase in scenario.phases
        if phase.kind in ("closed", "open")
    }


def _proof(phase: Phase, scenario: Scenario, processes: list[SubjectProcess], limit: float) -> PhaseProof:
    rates: dict[int, list[float]] = {}
    costs: dict[int, list[float]] = {}
    busy: list[float] = []
    lengths_s: list[float] = []
    for process in processes:
        window = next((window for window in process.evidence.windows if window.phase == phase.name), None)
        if window is None:
            continue
        lengths_s.append(window.end_s - window.start_s)
        seconds = seconds_of(process.evidence.series, window.start_s, window.end_s) or []
        rates[process.trial] = [second.rate for second in seconds]
        costs[process.trial] = [second.cost for second in seconds if second.cost is not None]
        used = _utilisation(process, window)
        busy += [] if used is None else [used]
    cost = _drifts_of(costs, higher=False)
    rate = _drifts_of(rates, higher=True) if phase.kind == "closed" else None
    latency = rate if phase.kind == "closed" else _latency_drifts(cost, busy)
    by_metric = ((RATE, rate), (COST, cost), (LATENCY, latency))
    drifts = {metric: drifts_of_metric for metric, drifts_of_metric in by_metric if drifts_of_metric is not None}
    load_s = min((_load_s(scenario, phase, process.evidence) for process in processes), default=0.0)
    return PhaseProof(phase.name, phase.kind, drifts, min(lengths_s, default=0.0), load_s, limit)


def _drifts_of(series: Mapping[int, list[float]], *, higher: bool) -> Drifts | None:
    """Return the drift by the processes that were read long enough; the others prove nothing."""
    better: Better = "higher" if higher else "lower"
    alone = {trial: own_drift for trial, values in series.items() if (own_drift := drift([values], better)) is not None}
    joint_drift = drift([series[trial] for trial in alone], better)
    return None if joint_drift is None else Drifts(joint_drift, alone)


def _utilisation(process: SubjectProcess, window: Window) -> float | None:
    """Return how much of the CPU time for which requests wait was used: the application's own of what it may use, or
    anybody's of its CPUs, whichever is more; None where it is not known.
    """
    series = process.evidence.series
    own = own_share(series, "app", process.sets, window)
    by_anybody = busy_share(series, "app", window)
    return None if own is None else max(own / process.cpu_share, by_anybody or 0.0)


def _latency_drifts(cost: Drifts | None, busy: list[float]) -> Drifts | None:
    """Return the drift of latency at a fixed rate, from that of the work; None where the queue may have no bound."""
    share = mean(busy) if busy else 1.0
    if cost is None or share > BUSIEST:
        return None
    return cost.times(1 / (1 - share))


def _load_s(scenario: Scenario, phase: Phase, evidence: Evidence) -> float:
    """Return the seconds of load from the first load to the end of a phase, pauses left out."""
    windows = {window.phase: window for window in evidence.windows}
    return sum(
        end_s - start_s
        for loaded_phase in scenario.phases[: scenario.phases.index(phase) + 1]
        if loaded_phase.kind in ("warm-up", "closed", "open")
        for start_s, end_s in stretches(loaded_phase, windows.get(loaded_phase.name))
    )
