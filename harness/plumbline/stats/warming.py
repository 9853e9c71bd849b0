"""Is a warm-up over? Asked while it runs, of what each second of its load showed so far.

The last third of the load is asked how far it drifted (stats/drift.py). A program that is still being compiled follows
something like a power of time: what it gains in the last third of a warm-up of 40 s it gains again in the 20 s after
it, so that a gain seen there is about the drift that figures would have.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .drift import LAB_LIMIT, LEAST_S, Better, drift
from .interval import quantile

LEVEL = 0.2
"""One-sided: a gain beyond this level is seen, one within it may be chance. High, since a false alarm costs a cycle
more, and a gain that goes unseen the trial."""

UNSEEN_MAX = 0.10
"""A gain as a log ratio: where the noise would hide one so large, nothing is known yet of the warm-up."""


@dataclass(frozen=True)
class Gain:
    """How much better the last seconds got, as a log ratio, and how large a gain their noise would hide."""

    gain: float
    unseen: float

    @property
    def goes_on(self) -> bool:
        """Whether a gain is seen; one below what a lab host has to show is none."""
        return self.gain > max(LAB_LIMIT, self.unseen)

    @property
    def is_over(self) -> bool:
        """Whether no gain is seen although the noise would not hide it."""
        return not self.goes_on and self.unseen <= UNSEEN_MAX


def gain_of(values: Sequence[float], better: Better) -> Gain | None:
    """Return the gain within the last third of `values`, one for each second of load. None for too few values, or one
    at 0.
    """
    found = drift([values[-max(LEAST_S, len(values) // 3) :]], better)
    if found is None:
        return None
    return Gain(found.estimate, quantile(found.degrees, 1 - LEVEL) * found.error)
