"""The questions of a comparison: the metrics that lead a scenario, and all others that both sides have."""

from __future__ import annotations

from plumbline.figures.metrics import METRICS
from plumbline.model.comparison import ComparisonPlan
from plumbline.model.host import HostClass
from plumbline.model.record import Trial
from plumbline.stats.compare import Better, differences
from .units import ContestUnit

# The latency that leads: the highest quantile that every pair has enough requests for.
_LATENCIES = ("latency_p99_ms", "latency_p50_ms")
# Not asked at all: they describe the measuring (how long until steady, what was dropped), or one extreme second.
_NOT_ASKED = frozenset(
    {
        "dropped", "saturated", "errors", "latency_max_ms", "steady_from_s", "warm_up_s", "time_to_95_share_of_peak_s",
        "throughput_cv_share", "achieved_rate_per_s", "load_cpu_us_per_request", "app_busy_share",
    }
)  # fmt: skip
# Both sides start at once in a duet, under one prober: times of the start would be of the machine.
_NOT_IN_A_DUET = frozenset(
    {"first_response_ms", "healthy_ms", "self_reported_start_ms", "throughput_per_mib"}
)


def leading(unit: ContestUnit, asked: ComparisonPlan, host_class: HostClass) -> list[tuple[str, str]]:
    """Return (phase, metric) of the primary questions: those that the unit is planned to measure, measured or not.

    They are throughput, latency at the highest rate, and start. CPU per request takes the place of throughput where
    throughput would be the host's. A duet has no start.
    """
    phases = unit.scenario.phases
    closed = next((phase.name for phase in phases if phase.kind == "closed"), None)
    rungs = [phase for phase in phases if phase.kind == "open"]
    rung = max(rungs, key=lambda one: (one.rate_per_s or 0, one.rate_share or 0.0)).name if rungs else None
    found: list[tuple[str, str]] = []
    if closed is not None and host_class != "small":
        found.append((closed, "throughput_per_s"))
    elif closed is not None or rung is not None:
        found.append((closed or rung or "", "app_cpu_us_per_request"))
    if rung is not None:
        latency = next(
            (name for name in _LATENCIES if unit.used and all(_has(pair, rung, name) for pair in unit.used)),
            _LATENCIES[-1],
        )
        found.append((rung, latency))
    if asked.design == "interleaved":
        found.append(("start", "first_response_ms"))
    return found


def measured(unit: ContestUnit, asked: ComparisonPlan) -> list[tuple[str, str]]:
    """Return (phase, metric) of everything that every used pair has, and that has a better way."""
    if not unit.used:
        return []
    first = unit.used[0][0].figures
    left_out = _NOT_ASKED | (_NOT_IN_A_DUET if asked.design == "duet" else frozenset())
    return [
        (phase, metric)
        for phase in sorted(first)
        for metric in METRICS
        if metric in first[phase]
        and metric not in left_out
        and METRICS[metric].better is not None
        and all(_has(pair, phase, metric) for pair in unit.used)
    ]


def _has(pair: tuple[Trial, Trial], phase: str, metric: str) -> bool:
    return all(trial.figures.get(phase, {}).get(metric, 0.0) > 0 for trial in pair)


def values_of(unit: ContestUnit, phase: str, metric: str) -> list[float]:
    """Return differences of the used pairs in order; a pair that lacks the figure is passed over."""
    return differences(
        [
            (base.figures[phase][metric], head.figures[phase][metric])
            for base, head in unit.used
            if _has((base, head), phase, metric)
        ],
        better_of(metric),
    )


def better_of(metric: str) -> Better:
    """Return the better direction of a metric that a comparison asks for."""
    better = METRICS[metric].better
    assert better is not None
    return better
