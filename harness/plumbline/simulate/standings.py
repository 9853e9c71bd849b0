"""The standings of a made-up night: means with intervals, as a record holds them."""

from __future__ import annotations

import math
from typing import Any

from plumbline.figures.rounding import rounded
from plumbline.stats.interval import CONFIDENCE
from plumbline.stats.student import quantile
from .world import CONTROL, OPEN_RATES

_PRIMARY = (
    ("start", "first_response_ms", "lower"),
    ("closed", "throughput_per_s", "higher"),
    ("closed", "app_cpu_us_per_request", "lower"),
    *((f"open@{rate}", "latency_p99_ms", "lower") for rate in OPEN_RATES),
)


def standings(
    subjects: list[str],
    scenarios: list[str],
    counting: dict[tuple[str, str], list[dict[str, dict[str, float]]]],
    invalid: dict[tuple[str, str], int],
) -> list[dict[str, Any]]:
    """Means with intervals; whoever's interval lies wholly beyond another's is ahead of it."""
    rows: list[dict[str, Any]] = []
    for scenario in scenarios:
        for phase, metric, better in _PRIMARY:
            table = []
            for subject in (*subjects, CONTROL):
                values = [its[phase][metric] for its in counting.get((subject, scenario), ())]
                table.append(_standing(scenario, phase, metric, better, subject, values, invalid))
            contenders = [row for row in table[:-1] if row["low"] is not None]
            for row in contenders:
                row["rank"] = 1 + sum(
                    other["low"] > row["high"] if better == "higher" else other["high"] < row["low"]
                    for other in contenders
                )
            rows += table
    return rows


def _standing(
    scenario: str,
    phase: str,
    metric: str,
    better: str,
    subject: str,
    values: list[float],
    invalid: dict[tuple[str, str], int],
) -> dict[str, Any]:
    count = len(values)
    mean = math.fsum(values) / count if count else None
    half = None
    if mean is not None and count > 1:
        spread = math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (count - 1))
        half = quantile(count - 1, (1 + CONFIDENCE) / 2) * spread / math.sqrt(count)
    return {
        "scenario": scenario,
        "phase": phase,
        "metric": metric,
        "better": better,
        "subject": subject,
        "trials": count,
        "invalid_trials": invalid.get((subject, scenario), 0),
        "mean": None if mean is None else rounded(mean),
        "low": None if mean is None or half is None else rounded(mean - half),
        "high": None if mean is None or half is None else rounded(mean + half),
        "confidence": CONFIDENCE,
        "rank": None,
    }
