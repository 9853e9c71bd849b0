"""The first figures of a trial in one line, for the progress."""

from __future__ import annotations

from plumbline.figures.compute import figures
from plumbline.model.evidence import Evidence
from plumbline.model.host import CpuSets
from plumbline.model.plan import Scenario


def headline(evidence: Evidence, scenario: Scenario, sets: CpuSets) -> str:
    """Start, throughput or rate, and CPU per request, as far as they were measured."""
    found = figures(evidence, scenario, sets)
    parts = []
    for phase, values in found.items():
        if phase == "start" and "first_response_ms" in values:
            parts.append(f"first response {values['first_response_ms'] / 1000:.2f} s")
        if "throughput_per_s" in values:
            parts.append(f"{values['throughput_per_s']:,.0f} requests/s")
        elif "achieved_rate_per_s" in values and not any("requests/s" in part for part in parts):
            parts.append(f"{values['achieved_rate_per_s']:,.0f} requests/s at a fixed rate")
        else:
            continue
        if "app_cpu_us_per_request" in values:
            parts.append(f"{values['app_cpu_us_per_request']:.0f} µs CPU each")
    return ", ".join(parts) or "no figures"
