"""The registry of metrics: unit, better direction, title, and how far each metric is to be trusted."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

Better = Literal["higher", "lower"]


@dataclass(frozen=True)
class Metric:
    """A metric of a phase.

    `better` is None where neither way is better. `sound_on_small` says that the figure still means the
    application on a host too small to saturate it alone. `primary` metrics lead a report and are judged
    together. `proven_by` names the metric whose drift has to be bounded before this one is a figure of a
    warm program; None where it holds from the first second.
    """

    name: str
    unit: str
    better: Better | None
    title: str
    sound_on_small: bool = False
    primary: bool = False
    proven_by: str | None = None


def _latency(statistic: str, title: str, primary: bool = False) -> Metric:
    return Metric(f"latency_{statistic}_ms", "ms", "lower", title, True, primary, "latency_mean_ms")


def _cpu(role: str, title: str, primary: bool = False) -> Metric:
    name = f"{role}_cpu_us_per_request"
    return Metric(name, "us", "lower", f"{title} CPU per request", True, primary, "app_cpu_us_per_request")


_ALL = (
    Metric("throughput_per_s", "1/s", "higher", "Throughput", primary=True, proven_by="throughput_per_s"),
    Metric(
        "throughput_per_mib",
        "1/(s MiB)",
        "higher",
        "Throughput per MiB of memory",
        proven_by="throughput_per_s",
    ),
    Metric("throughput_cv_share", "share", "lower", "Spread of throughput from second to second"),
    Metric("first_to_last_third_share", "share", None, "Change of throughput from first to last third"),
    Metric("first_10_s_requests", "requests", "higher", "Requests answered in the first ten seconds", True, True),
    Metric("steady_from_s", "s", "lower", "Seconds of load until steady", True),
    Metric("time_to_95_share_of_peak_s", "s", "lower", "Seconds of load until 95 % of the peak", True),
    Metric("warm_up_s", "s", "lower", "Seconds of load until warm", True),
    Metric("warm_up_over", "0 or 1", None, "Warm when the measured part began", True),
    Metric("achieved_rate_per_s", "1/s", "higher", "Rate achieved", sound_on_small=True),
    Metric("dropped", "requests", "lower", "Arrivals dropped"),
    Metric("saturated", "0 or 1", "lower", "Rate not met"),
    _latency("mean", "Mean latency"),
    _latency("p50", "Median latency"),
    _latency("p90", "Latency, 90th percentile"),
    _latency("p95", "Latency, 95th percentile"),
    _latency("p99", "Latency, 99th percentile", primary=True),
    _latency("p99_9", "Latency, 99.9th percentile"),
    Metric("latency_max_ms", "ms", "lower", "Greatest latency", proven_by="latency_mean_ms"),
    _cpu("app", "Application", primary=True),
    _cpu("db", "Database"),
    _cpu("load", "Load generator"),
    Metric("app_busy_share", "share", "higher", "Application CPUs busy", True),
    Metric("app_cpu_share", "share", None, "CPU used by the application, of its CPUs", True),
    Metric("db_cpu_share", "share", None, "CPU used by the database, of its CPUs", True),
    Metric("load_cpu_share", "share", None, "CPU used by the load generator, of its CPUs", True),
    Metric("gc_share", "share", "lower", "Time in garbage collection", True),
    Metric("jit_share", "share", "lower", "JIT compilation, of one CPU's time", True),
    Metric("first_response_ms", "ms", "lower", "Time to first response", True, primary=True),
    Metric("healthy_ms", "ms", "lower", "Time to healthy", True),
    # Each framework counts from a moment of its own (docs/life-cycle.md).
    Metric("self_reported_start_ms", "ms", None, "Start as the framework reports it", True),
    Metric("rss_idle_bytes", "bytes", "lower", "Memory (RSS) idle", True, primary=True),
    Metric("rss_first_response_bytes", "bytes", "lower", "Memory (RSS) after the first response", True),
    Metric("rss_under_load_bytes", "bytes", "lower", "Memory (RSS) under load", True),
    Metric("rss_peak_bytes", "bytes", "lower", "Memory (RSS) at its peak", True),
    Metric("rss_after_bytes", "bytes", "lower", "Memory (RSS) after load", True),
    Metric("pss_idle_bytes", "bytes", "lower", "Memory (PSS) after the first response", True),
    Metric("pss_after_bytes", "bytes", "lower", "Memory (PSS) after load", True),
    Metric("heap_used_bytes", "bytes", "lower", "Heap in use", True),
    Metric("errors", "requests", "lower", "Errors", True),
    Metric("batch_threads", "threads", None, "Threads that take the rows of a batch", True),
    Metric("batch_connections", "connections", None, "Connections at work at once in batches, at most", True),
)

WARMING = {metric.name: f"warming_{metric.name}" for metric in _ALL if metric.proven_by is not None}
"""Steady metric -> the metric that a phase has in its place, in the same unit, if the phase was not proven steady.
Neither direction of such a metric is better: no subject is ranked, compared or followed over time by code that the
compiler had not finished yet.
"""


WARMING_UP = "while warming up"
"""The words behind the title or the place of a figure of a metric of the warm-up."""


def _while_warming_up(metric: Metric) -> Metric:
    return replace(
        metric,
        name=WARMING[metric.name],
        better=None,
        title=f"{metric.title} {WARMING_UP}",
        primary=False,
    )


METRICS: dict[str, Metric] = {
    metric.name: metric
    for metric in (*_ALL, *(_while_warming_up(metric) for metric in _ALL if metric.proven_by is not None))
}
"""Every metric that a trial may have, by name, in the order in which reports list them."""
