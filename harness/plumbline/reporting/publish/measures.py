"""The measures that pages show of a scenario, and what one session can say of each subject by them."""

from __future__ import annotations

from collections.abc import Iterator

from plumbline.archive.record.standings import Basis, in_record
from plumbline.model.plan import PhaseKind, Scenario
from plumbline.model.record import Record
from plumbline.verdicts.figures.metrics import METRICS, Metric

# What pages show of each kind of phase, in this order.
_SHOWN: dict[PhaseKind, tuple[str, ...]] = {
    "closed": (
        "throughput_per_s",
        "app_cpu_us_per_request",
        "rss_under_load_bytes",
        "throughput_per_mib",
        "energy_uj_per_request",
        "steady_from_s",
    ),
    "open": ("latency_p99_ms", "latency_p50_ms"),
    "start": ("first_response_ms", "rss_idle_bytes"),
    "warm-up": ("first_10_s_requests",),
}
_PLACES = {name: place for place, name in enumerate(name for names in _SHOWN.values() for name in names)}

PhaseMetric = tuple[str, str]
"""A phase and the name of a metric."""

Told = dict[str, dict[PhaseMetric, dict[str, Basis]]]
"""scenario -> measure -> subject -> how much the session says of it."""


def measures(scenario: Scenario) -> Iterator[tuple[str, Metric]]:
    """Yield phase and metric of every table of a scenario, in the order in which pages show them."""
    for kind, names in _SHOWN.items():
        for metric in (METRICS[name] for name in names if name in METRICS):
            if metric.better is not None:
                yield from ((phase.name, metric) for phase in scenario.phases if phase.kind == kind)


def place_of(measure: PhaseMetric) -> int:
    """Return the place of a measure among those that pages show."""
    return _PLACES[measure[1]]


def told(record: Record) -> Told:
    """Return how much a session says of each subject but the control, by each measure."""
    found: Told = {}
    for scenario in record.plan.scenarios:
        for phase, metric in measures(scenario):
            its = in_record(record, scenario, phase, metric)
            if its is not None and (subjects := its.bases):
                found.setdefault(scenario.id, {})[phase, metric.name] = subjects
    return found
