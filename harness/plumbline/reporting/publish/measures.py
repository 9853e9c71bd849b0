"""Lists the measures that pages show of a scenario, and what one session can tell of each subject by these measures."""

from __future__ import annotations

from collections.abc import Iterator

from plumbline.archive.record.standings import Basis, in_record
from plumbline.model.plan import PhaseKind, Scenario
from plumbline.model.record import Record
from plumbline.verdicts.figures.metrics import METRICS, Metric

# The metrics that pages show of each kind of phase, in this order.
_SHOWN: dict[PhaseKind, tuple[str, ...]] = {
    "closed": (
        "throughput_per_s",
        "app_cpu_us_per_request",
        "rss_under_load_bytes",
        "throughput_per_mib",
        "steady_from_s",
    ),
    "open": ("latency_p99_ms", "latency_p50_ms"),
    "start": ("first_response_ms", "rss_idle_bytes"),
    "warm-up": ("first_10_s_requests",),
}
_PLACES = {name: place for place, name in enumerate(name for names in _SHOWN.values() for name in names)}

PhaseMetric = tuple[str, str]
"""A phase and the name of a metric."""

Bases = dict[str, dict[PhaseMetric, dict[str, Basis]]]
"""scenario -> measure -> subject -> how much the session tells of it: a rank, a steady figure, or a warming one."""


def measures(scenario: Scenario) -> Iterator[tuple[str, Metric]]:
    """Yield the phase and the metric of every table of a scenario, in the order in which pages show the tables."""
    for kind, names in _SHOWN.items():
        for metric in (METRICS[name] for name in names):
            if metric.better is not None:
                yield from ((phase.name, metric) for phase in scenario.phases if phase.kind == kind)


def place_of(measure: PhaseMetric) -> int:
    """Return the place of a measure among those that pages show."""
    return _PLACES[measure[1]]


def bases_of_session(record: Record) -> Bases:
    """Return how much a session tells of each subject except the control, by each measure."""
    bases_by_scenario: Bases = {}
    for scenario in record.plan.scenarios:
        for phase, metric in measures(scenario):
            standings = in_record(record, scenario, phase, metric)
            if standings is not None and (bases := standings.bases):
                bases_by_scenario.setdefault(scenario.id, {})[phase, metric.name] = bases
    return bases_by_scenario
