"""Figures of a hand-made trial, number by number."""

from __future__ import annotations

from typing import Any

import pytest

from plumbline.model.evidence import QUANTILES, Evidence, LoadResult, Series, Start, Window
from plumbline.model.host import CpuSets
from plumbline.model.plan import Phase, Scenario
from plumbline.verdicts.figures.compute import WHOLE_TRIAL, figures
from plumbline.verdicts.figures.metrics import METRICS
from plumbline.verdicts.figures.series import rounded

SETS = CpuSets(app=(0, 1), db=(2,), load=(3,), housekeeping=(3,))
SCENARIO = Scenario(
    name="fruits",
    version=1,
    workload="fruits",
    script="fruits.ts",
    operation="GET /fruits",
    uses_database=True,
    phases=(
        Phase(kind="start", name="start"),
        Phase(kind="warm-up", name="warm-up", duration_s=2, connections=10),
        Phase(kind="closed", name="closed", duration_s=6, connections=10),
        Phase(kind="open", name="open@1000", duration_s=4, rate_per_s=1000),
        Phase(kind="after", name="after"),
    ),
)
ROWS = 17
WINDOWS = (
    Window(phase="closed", kind="closed", start_s=3.0, end_s=9.0),
    Window(phase="open@1000", kind="open", start_s=11.0, end_s=15.0),
)
# Latency in milliseconds is its own quantile times ten.
LATENCY_MS = tuple(10 * quantile for quantile in QUANTILES)


def growing(*steps: float) -> tuple[float, ...]:
    """A counter from 0, by the growth of each second; the last growth repeats to the end."""
    total, rows = 0.0, [0.0]
    for second in range(ROWS - 1):
        total += steps[min(second, len(steps) - 1)]
        rows.append(total)
    return tuple(rows)


SERIES = Series(
    t_s=tuple(float(second) for second in range(ROWS)),
    columns={
        "cpu.app.user_us": growing(1_200_000),
        "cpu.app.system_us": growing(600_000),
        "cpu.db.user_us": growing(200_000),
        "cpu.db.system_us": growing(40_000),
        "cpu.load.user_us": growing(500_000),
        "cpu.load.system_us": growing(100_000),
        "set.app.busy_us": growing(1_900_000),
        "set.app.idle_us": growing(90_000),
        "set.app.iowait_us": growing(10_000),
        "set.app.irq_us": growing(3_000),
        "set.app.softirq_us": growing(7_000),
        "set.app.steal_us": growing(0),
        "app.rss_bytes": tuple(float(200 + 10 * second) * 2**20 for second in range(ROWS)),
        "jvm.gc_us": growing(15_000),
        "jvm.jit_us": growing(250_000),
        "jvm.heap_used_bytes": (1000.0,) * ROWS,
        # Seconds 3 to 9 of the closed window: 900, 900, 1000, 1000, 1100, 1100; 11 to 15 of the open one: 1000 each.
        "load.requests": growing(0, 0, 0, 900, 900, 1000, 1000, 1100, 1100, 0, 0, 1000),
    },
)


def closed_load(**changes: Any) -> LoadResult:
    fields: dict[str, Any] = {
        "phase": "closed",
        "executor": "constant-vus",
        "connections": 10,
        "window_s": 6.0,
        "requests": 6010,
        "completed": 6000,
        "failed": 0,
        "dropped": 0,
        "checks_passed": 60,
        "checks_failed": 0,
        "latency_mean_ms": 9.9,
        "latency_min_ms": 0.0,
        "latency_max_ms": 10.0,
        "latency_ms": LATENCY_MS,
    }
    return LoadResult(**(fields | changes))


def open_load(**changes: Any) -> LoadResult:
    fields: dict[str, Any] = {
        "phase": "open@1000",
        "executor": "constant-arrival-rate",
        "rate_per_s": 1000,
        "connections": None,
        "window_s": 4.0,
        "requests": 4001,
        "completed": 3999,
        "latency_mean_ms": 5.0,
        "latency_min_ms": 0.5,
    }
    return closed_load(**(fields | changes))


def evidence(**changes: Any) -> Evidence:
    fields: dict[str, Any] = {
        "trial": 1,
        "subject": "vertx-pg/jvm/pg",
        "scenario": "fruits@1",
        "started_at": "2026-01-01T00:00:00Z",
        "clock_step_ms": 0.0,
        "host_before": None,
        "artifact_sha256": "0" * 64,
        "processes": (),
        "start": Start(
            resolution_ms=0.5,
            healthy_ms=800.0,
            first_response_ms=812.5,
            self_reported_ms=700.0,
            rss_idle_bytes=100,
            rss_first_response_bytes=110,
            pss_idle_bytes=90,
        ),
        "environment": None,
        "environment_after": None,
        "probes": (),
        "windows": WINDOWS,
        "series": SERIES,
        "load": (closed_load(), open_load()),
        "database": (),
        "database_settings": {},
        "tls": (),
        "threads": (),
        "affinity": (),
        "logs": {},
        "rss_after_bytes": 333,
    }
    return Evidence(**(fields | changes))


def test_every_figure_of_a_whole_trial() -> None:
    assert figures(evidence(), SCENARIO, SETS) == {
        "trial": {"rss_peak_bytes": 360.0 * 2**20, "errors": 0.0},
        "start": {
            "first_response_ms": 812.5,
            "healthy_ms": 800.0,
            "self_reported_start_ms": 700.0,
            "rss_idle_bytes": 100.0,
            "rss_first_response_bytes": 110.0,
            "pss_idle_bytes": 90.0,
        },
        "closed": {
            "warming_throughput_per_s": 1000.0,
            # Mean RSS of the seconds 3 to 9 is 260 MiB.
            "warming_throughput_per_mib": rounded(1000 / 260),
            # Sample standard deviation of 900, 900, 1000, 1000, 1100, 1100 over their mean.
            "throughput_cv_share": rounded(8000**0.5 / 1000),
            "first_to_last_third_share": rounded(1100 / 900 - 1),
            # 95 % of the last level, 1100, is reached in the fifth second; six seconds prove nothing steady.
            "time_to_95_share_of_peak_s": 4.0,
            "warming_latency_mean_ms": 9.9,
            # 1.8 s of CPU a second for 1000 requests a second.
            "warming_app_cpu_us_per_request": 1800.0,
            "warming_db_cpu_us_per_request": 240.0,
            "warming_load_cpu_us_per_request": 600.0,
            "app_busy_share": 0.95,
            "app_cpu_share": 0.9,
            "db_cpu_share": 0.24,
            "load_cpu_share": 0.6,
            "gc_share": 0.015,
            "jit_share": 0.25,
            "rss_under_load_bytes": 260.0 * 2**20,
            "heap_used_bytes": 1000.0,
        },
        "open@1000": {
            "achieved_rate_per_s": 999.75,
            "dropped": 0.0,
            "saturated": 0.0,
            "warming_latency_mean_ms": 5.0,
            # 4001 samples: a hundred lie beyond p95, but not beyond p99.
            "warming_latency_p50_ms": 5.0,
            "warming_latency_p90_ms": 9.0,
            "warming_latency_p95_ms": 9.5,
            "warming_latency_max_ms": 10.0,
            "warming_app_cpu_us_per_request": rounded(7_200_000 / 4000),
            "warming_db_cpu_us_per_request": rounded(960_000 / 4000),
            "warming_load_cpu_us_per_request": rounded(2_400_000 / 4000),
            "app_busy_share": 0.95,
            "app_cpu_share": 0.9,
            "db_cpu_share": 0.24,
            "load_cpu_share": 0.6,
            "gc_share": 0.015,
            "jit_share": 0.25,
            "rss_under_load_bytes": 330.0 * 2**20,
            "heap_used_bytes": 1000.0,
        },
        "after": {"rss_after_bytes": 333.0},
    }


def test_an_empty_trial_has_no_figures() -> None:
    empty = evidence(start=None, windows=(), series=Series(), load=(), rss_after_bytes=None)
    assert figures(empty, SCENARIO, SETS) == {}


def test_a_trial_without_a_window_keeps_what_k6_alone_says() -> None:
    found = figures(evidence(windows=()), SCENARIO, SETS)["closed"]
    assert found == {"warming_throughput_per_s": 1000.0, "warming_latency_mean_ms": 9.9}


def test_what_a_request_costs_is_told_by_whole_seconds() -> None:
    """A second at the edge of a phase is idle in part, and its CPU time is of no request."""
    closed, opened = WINDOWS
    wider = closed.model_copy(update={"start_s": closed.start_s - 0.4, "end_s": closed.end_s + 0.4})
    found = figures(evidence(windows=(wider, opened)), SCENARIO, SETS)["closed"]
    assert found["warming_app_cpu_us_per_request"] == 1800.0


def test_a_second_without_a_count_of_requests_is_no_part_of_their_cost() -> None:
    whole = evidence()
    last_s = max(t_s for t_s in whole.series.t_s if t_s <= WINDOWS[0].end_s)
    counts = zip(whole.series.t_s, whole.series.columns["load.requests"], strict=True)
    known = tuple(None if t_s == last_s else count for t_s, count in counts)
    series = whole.series.model_copy(update={"columns": {**whole.series.columns, "load.requests": known}})
    found = figures(evidence(series=series), SCENARIO, SETS)["closed"]
    assert found["warming_app_cpu_us_per_request"] == rounded(9_000_000 / 4900)


def test_nothing_completed_has_no_cost_a_request() -> None:
    failed = closed_load(requests=10, completed=0, failed=10)
    found = figures(evidence(load=(failed,)), SCENARIO, SETS)
    assert found["closed"]["warming_throughput_per_s"] == 0.0
    assert "warming_app_cpu_us_per_request" not in found["closed"]


def test_errors_are_failures_and_wrong_bodies_of_all_phases() -> None:
    loads = (
        closed_load(phase="warm-up", failed=3, timeouts=2, connect_errors=1),
        closed_load(checks_failed=4),
        open_load(failed=1),
    )
    assert figures(evidence(load=loads), SCENARIO, SETS)[WHOLE_TRIAL]["errors"] == 8.0


@pytest.mark.parametrize(
    ("changes", "saturated"),
    [
        ({}, 0.0),
        ({"dropped": 1}, 1.0),
        # Late may be: 1 % of 4000 arrivals, one at the edge, and the arrivals of half a millisecond.
        ({"completed": 3959}, 0.0),
        ({"completed": 3958}, 1.0),
        # Slow but steady: 100 ms of arrivals are always on their way.
        ({"completed": 3880, "latency_min_ms": 100.0}, 0.0),
        # Failed requests were answered in time.
        ({"completed": 3000, "failed": 1000}, 0.0),
    ],
)
def test_a_rate_is_met_or_not(changes: dict[str, Any], saturated: float) -> None:
    found = figures(evidence(load=(open_load(**changes),)), SCENARIO, SETS)["open@1000"]
    assert found["saturated"] == saturated


@pytest.mark.parametrize(
    ("requests", "last"),
    [
        (100, None),
        (200, "warming_latency_p50_ms"),
        (10_000, "warming_latency_p99_ms"),
        (100_000, "warming_latency_p99_9_ms"),
    ],
)
def test_quantiles_go_only_as_far_as_the_counts_allow(requests: int, last: str | None) -> None:
    found = figures(evidence(load=(open_load(requests=requests),)), SCENARIO, SETS)["open@1000"]
    quantiles = [metric for metric in found if metric.startswith("warming_latency_p")]
    assert (quantiles[-1] if quantiles else None) == last


def test_closed_load_has_no_quantiles_of_latency() -> None:
    found = figures(evidence(load=(closed_load(requests=10**6),)), SCENARIO, SETS)["closed"]
    assert [metric for metric in found if metric.startswith("warming_latency_")] == ["warming_latency_mean_ms"]


def test_batches_tell_their_threads_and_the_most_connections_at_work() -> None:
    at_work = tuple(float(min(second, 7)) for second in range(ROWS))
    series = SERIES.model_copy(update={"columns": {**SERIES.columns, "db.active": at_work}})
    batch = closed_load(batch_threads=2.5)
    found = figures(evidence(load=(batch,), series=series), SCENARIO, SETS)["closed"]
    assert (found["batch_threads"], found["batch_connections"]) == (2.5, 7.0)
    unseen = figures(evidence(load=(batch,)), SCENARIO, SETS)["closed"]
    assert unseen["batch_threads"] == 2.5 and "batch_connections" not in unseen


def test_what_is_no_batch_has_no_figure_of_one() -> None:
    """Older evidence of batches has no count of threads; records of such evidence are computed as before."""
    at_work = (5.0,) * ROWS
    series = SERIES.model_copy(update={"columns": {**SERIES.columns, "db.active": at_work}})
    found = figures(evidence(series=series), SCENARIO, SETS)["closed"]
    assert not {"batch_threads", "batch_connections"} & found.keys()


def test_too_short_a_phase_says_nothing_of_steadiness() -> None:
    short = (Window(phase="closed", kind="closed", start_s=3.0, end_s=5.5),)
    found = figures(evidence(windows=short), SCENARIO, SETS)["closed"]
    assert "throughput_cv_share" not in found


def test_every_metric_names_its_unit_and_is_listed_once() -> None:
    for name, metric in METRICS.items():
        assert name == metric.name
        endings = {
            "ms": "_ms",
            "us": "_us_per_request",
            "bytes": "_bytes",
            "share": "_share",
            "1/s": "_per_s",
        }
        if metric.unit in endings:
            assert name.endswith(endings[metric.unit])
    assert len({metric.title for metric in METRICS.values()}) == len(METRICS)
    # Both are read once the first response is there, whatever the key of the second says.
    moments = {METRICS[f"{name}_bytes"].title.partition(") ")[2] for name in ("rss_first_response", "pss_idle")}
    assert moments == {"after the first response"}


@pytest.mark.parametrize(
    ("value", "to"),
    [
        (1234567890.5, 1234567890.0),
        (0.1 + 0.2, 0.3),
        (1 / 3, 0.333333333),
        (-0.0, 0.0),
        (2.5e-12, 2.5e-12),
    ],
)
def test_nine_significant_digits(value: float, to: float) -> None:
    assert rounded(value) == to
    assert str(rounded(value)) == str(to)
