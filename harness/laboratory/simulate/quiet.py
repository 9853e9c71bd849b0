"""How quiet a made-up host is, before and after `bench-host apply`, as `bench-host quiet --json` reports it."""

from __future__ import annotations

import json
import random

CPUS = 8
# The share of time taken away, the longest time taken at once in us, and the scatter of the control.
_BEFORE = (2e-3, 900.0, 0.021)
_AFTER = (3e-6, 14.0, 0.0041)


def quiet_files(host: str, seed: int) -> dict[str, bytes]:
    """Return path -> content of both measurements of a host."""
    draw = random.Random(f"quiet {host} {seed}")
    return {
        f"hosts/{host}/before.json": _document(draw, "2026-01-02T10:00:00+00:00", False, *_BEFORE),
        f"hosts/{host}/after.json": _document(draw, "2026-01-02T11:00:00+00:00", True, *_AFTER),
    }


def _document(draw: random.Random, measured_at: str, applied: bool, share: float, us: float, cv: float) -> bytes:
    jitter = [
        {
            "cpu": cpu,
            "seconds": 6.25,
            "lost_share": round(share * draw.lognormvariate(0, 0.4), 7),
            "gaps_per_s": 250.0,
            "longest_us": round(us * draw.lognormvariate(0, 0.3), 1),
        }
        for cpu in range(CPUS)
    ]
    document = {
        "version": 1,
        "measured_at": measured_at,
        "applied": applied,
        "housekeeping": [0],
        "gap_us": 5.0,
        "jitter": jitter,
        "osnoise": None,
        "hwlat": None,
        "writes": {"folder": "/var/tmp", "writes": 200, "median_ms": 0.05, "p99_ms": 0.12, "longest_ms": 0.4},
        "control": {
            "record": "record.json",
            "scenario": "fruits@1",
            "phase": "closed",
            "trials": 20,
            "cv": cv,
        },
    }
    return json.dumps(document, indent=1).encode() + b"\n"
