"""Sample what the sampling itself costs."""

from __future__ import annotations

import resource

from .base import HoldsFiles, Row, Tick


class OwnSampler(HoldsFiles):
    """Samples `sampler.us`: CPU time of the sampling thread, from getrusage. It stands last, to see the others."""

    def sample(self, tick: Tick) -> Row:
        """Return user and system time of the calling thread, in microseconds."""
        usage = resource.getrusage(resource.RUSAGE_THREAD)
        return {"sampler.us": round((usage.ru_utime + usage.ru_stime) * 1e6)}
