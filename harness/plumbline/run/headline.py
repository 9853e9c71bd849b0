"""The first figures of a trial in one line, for the progress."""

from __future__ import annotations

from plumbline.figures.compute import figures
from plumbline.figures.metrics import WARMING
from plumbline.figures.proof import COST, RATE
from plumbline.model.evidence import Evidence
from plumbline.model.host import CpuSets
from plumbline.model.plan import Scenario


def headline(evidence: Evidence, scenario: Scenario, sets: CpuSets) -> str:
    """Start, how long it warmed up, throughput or rate, and CPU per request, as far as they were measured.

    Whether a phase was steady is told by all trials of a subject, so none of these is claimed yet.
    """
    found = figures(evidence, scenario, sets)
    parts = []
    for phase, values in found.items():
        rate, cost = (values.get(metric, values.get(WARMING[metric])) for metric in (RATE, COST))
        if phase == "start" and "first_response_ms" in values:
            parts.append(f"first response {values['first_response_ms'] / 1000:.2f} s")
        if "warm_up_s" in values:
            ended = "warm" if values["warm_up_over"] else "not yet warm"
            parts.append(f"{ended} after {values['warm_up_s']:.0f} s of load")
        if rate is not None:
            parts.append(f"{rate:,.0f} requests/s")
        elif "achieved_rate_per_s" in values and not any("requests/s" in part for part in parts):
            parts.append(f"{values['achieved_rate_per_s']:,.0f} requests/s at a fixed rate")
        else:
            continue
        if cost is not None:
            parts.append(f"{cost:.0f} µs CPU each")
    return ", ".join(parts) or "no figures"
