"""Is a warm-up over? Asked while it runs, of what each second of its load showed so far.

The later half of the load is asked how far it drifted (stats/drift.py). A program that is still being compiled follows
something like a power of time: what it gains in the second half of a warm-up it gains again in as long a measured part,
so that a gain seen there is about the drift that figures would have.
"""

from __future__ import annotations

from collections.abc import Sequence

from .drift import LAB_LIMIT, LEAST_S, Better, drift
from .student import quantile

LEVEL = 0.2
"""One-sided: a gain beyond this level is seen, one within it may be chance. High, since a false alarm costs a cycle
more, and a gain that goes unseen the trial."""

UNSEEN_MAX = 0.10
"""Log ratio. Where the noise would hide so large a gain, nothing is known yet."""


def is_over(values: Sequence[float], better: Better) -> bool:
    """Whether values, one a second of load, got no better over their later half, as far as their noise lets one see.

    A gain below what a lab host has to show is none. False for too few of them, and for values without a logarithm.
    """
    found = drift([values[-max(LEAST_S, len(values) // 2) :]], better)
    if found is None:
        return False
    unseen = quantile(found.degrees, 1 - LEVEL) * found.error
    return unseen <= UNSEEN_MAX and found.estimate <= max(LAB_LIMIT, unseen)
