"""Measures the CPU time of the machine, the harness and the samplers in a trial, so that a record says its cost."""

from __future__ import annotations

import math
import os
import time
from dataclasses import dataclass
from pathlib import Path

from plumbline.model.evidence import Evidence


@dataclass(frozen=True)
class CpuUse:
    """Readings at the start of a trial. `machine_s` is what all CPUs of the host were busy."""

    began_s: float
    machine_s: float
    harness_s: float

    @classmethod
    def now(cls) -> CpuUse:
        """Read the clocks."""
        times = os.times()
        return cls(time.monotonic(), _busy_s(Path("/proc")), times.user + times.system)

    def elapsed_s(self) -> float:
        """Return seconds since then."""
        return time.monotonic() - self.began_s

    def since(self, evidence: Evidence) -> dict[str, float]:
        """Return CPU seconds since then: `session` (the machine), `harness` (this process), `sampler` (out of it)."""
        later = CpuUse.now()
        sampled = [value for value in evidence.series.columns.get("sampler.us", ()) if value is not None]
        return {
            "session": round(later.machine_s - self.machine_s, 3),
            "harness": round(later.harness_s - self.harness_s, 3),
            "sampler": round(max(sampled, default=0.0) / 1e6, 4),
        }


def _busy_s(proc: Path) -> float:
    """Return user, nice, system, irq, softirq and steal time of all CPUs; ticks are 10 ms."""
    fields = [int(text) for text in (proc / "stat").read_text().split("\n", 1)[0].split()[1:9]]
    return math.fsum(value for index, value in enumerate(fields) if index not in (3, 4)) / 100
