"""The evidence of a made-up trial: only the data that timelines and curves need, so that years of it stay small."""

from __future__ import annotations

import json
import math
import random
from itertools import pairwise
from statistics import NormalDist
from typing import Any

from plumbline.archive.record.evidence_file import evidence_bytes as canonical_evidence
from plumbline.archive.record.evidence_file import evidence_of
from plumbline.model.evidence import QUANTILES
from .world import OPEN_RATES

_ROWS = 91
WINDOWS = (
    ("warm-up", "warm-up", 6.2, 21.2),
    ("closed", "closed", 23.1, 43.1),
    *((f"open@{rate}", "open", 45.0 + 22 * place, 65.0 + 22 * place) for place, rate in enumerate(OPEN_RATES)),
)
_CPUS = {"app": 4, "db": 2, "load": 1, "harness": 1}
_MIB = 2**20
# Normal quantiles, cut off at both ends: the quantiles of 0 and 1 are infinite.
_NORMAL = {share: NormalDist().inv_cdf(min(max(share, 0.001), 0.99995)) for share in QUANTILES}


def evidence_bytes(
    number: int,
    subject: str,
    scenario: str,
    started_at: str,
    figures: dict[str, dict[str, float]],
    seed: int,
) -> bytes:
    """Return the compressed file of one trial whose figures were drawn."""
    draw = random.Random(f"evidence {seed} {started_at} {number}")
    document = {
        "trial": number,
        "subject": subject,
        "scenario": scenario,
        "started_at": started_at,
        "clock_step_ms": 0.0,
        "host_before": None,
        "artifact_sha256": "",
        "processes": [],
        "start": {
            "resolution_ms": 1.0,
            "first_response_ms": figures["start"]["first_response_ms"],
            "rss_idle_bytes": round(figures["start"]["rss_idle_bytes"]),
        },
        "environment": None,
        "environment_after": None,
        "probes": [],
        "windows": [
            {"phase": phase, "kind": kind, "start_s": start_s, "end_s": end_s}
            for phase, kind, start_s, end_s in WINDOWS
        ],
        "series": _series(figures, draw),
        "load": [_load(phase, kind, end_s - start_s, figures) for phase, kind, start_s, end_s in WINDOWS],
        "database": [],
        "database_settings": {},
        "tls": [],
        "threads": [],
        "affinity": [],
        "logs": {},
    }
    return canonical_evidence(evidence_of(json.dumps(document).encode()))


def _rate_at(t_s: float, figures: dict[str, dict[str, float]]) -> tuple[float, float]:
    """Return requests a second, and the CPU time of the application for each request in microseconds."""
    closed = figures["closed"]
    for phase, kind, start_s, end_s in WINDOWS:
        if start_s <= t_s < end_s:
            if kind == "open":
                return float(phase.partition("@")[2]), figures[phase]["app_cpu_us_per_request"]
            # Code is compiled bit by bit: half of the missing speed is there after four seconds.
            warm = 1 - 0.55 * math.exp(-(t_s - WINDOWS[0][2]) / 5.5)
            return closed["throughput_per_s"] * warm, closed["app_cpu_us_per_request"] / warm
    return 0.0, 0.0


def _series(figures: dict[str, dict[str, float]], draw: random.Random) -> dict[str, Any]:
    """Return a row a second, in steps, as `record.steps` reads them."""
    return {
        "t_ms": [0] + [1000] * (_ROWS - 1),
        "rows": [],
        "milli": [],
        "columns": {
            name: [values[0], *(after - before for before, after in pairwise(values))]
            for name, values in _columns(figures, draw).items()
        },
        "thinned": {},
    }


def _columns(figures: dict[str, dict[str, float]], draw: random.Random) -> dict[str, list[int]]:
    names = (
        "load.requests",
        "jvm.gc_us",
        *(f"cpu.{role}.{kind}_us" for role in _CPUS for kind in ("user", "system")),
    )
    sums = dict.fromkeys(names, 0.0)
    columns: dict[str, list[int]] = {name: [] for name in names}
    loaded = figures["closed"]["rss_under_load_bytes"]
    idle = figures["start"]["rss_idle_bytes"]
    memory: dict[str, list[int]] = {"app.rss_bytes": [], "jvm.heap_used_bytes": [], "db.rss_bytes": []}
    for row in range(_ROWS):
        rate, cpu_us = _rate_at(float(row), figures)
        rate *= 1 + 0.02 * draw.gauss(0, 1)
        us_by_role = {
            "app": min(rate * cpu_us, _CPUS["app"] * 1e6),
            "db": min(rate * 220, _CPUS["db"] * 1e6),
            "load": min(rate * 55, _CPUS["load"] * 1e6),
            "harness": 9_000.0,
        }
        sums["load.requests"] += rate
        sums["jvm.gc_us"] += rate * 3
        for role, role_us in us_by_role.items():
            sums[f"cpu.{role}.user_us"] += 0.8 * role_us
            sums[f"cpu.{role}.system_us"] += 0.2 * role_us
        for name in names:
            columns[name].append(round(sums[name]))
        grown_share = 1 - math.exp(-max(row - 5, 0) / 9)
        memory["app.rss_bytes"].append(round(idle + (loaded - idle) * grown_share))
        memory["jvm.heap_used_bytes"].append(round((60 + (row * 37) % 170) * _MIB))
        memory["db.rss_bytes"].append(round(310 * _MIB + row * 20_000))
    return columns | memory


def _load(phase: str, kind: str, window_s: float, figures: dict[str, dict[str, float]]) -> dict[str, Any]:
    is_open = kind == "open"
    rate = float(phase.partition("@")[2]) if is_open else figures["closed"]["throughput_per_s"]
    p99 = figures[phase]["latency_p99_ms"] if is_open else 1e5 / figures["closed"]["throughput_per_s"]
    count = round(rate * window_s)
    # Latencies are log-normal from the median to the 99th percentile, with a heavier tail.
    spread = math.log(4) / 2.326
    latency = [round(p99 / 4 * math.exp(spread * _NORMAL[q]) * (1 + max(0.0, q - 0.99) * 60), 3) for q in QUANTILES]
    return {
        "phase": phase,
        "executor": "constant-arrival-rate" if is_open else "constant-vus",
        "connections": None if is_open else 100,
        "rate_per_s": round(rate) if is_open else None,
        "window_s": window_s,
        "requests": count,
        "completed": count,
        "failed": 0,
        "dropped": 0,
        "checks_passed": count,
        "checks_failed": 0,
        "latency_mean_ms": round(p99 / 3, 3),
        "latency_min_ms": latency[0],
        "latency_max_ms": round(latency[-1] * 2, 3),
        "latency_ms": latency if is_open else [],
    }
