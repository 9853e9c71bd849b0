"""Decide whether a warm-up is over. The question is asked while the warm-up runs, of each second of its load so far.

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
"""The one-sided level: a gain beyond it is seen, a smaller gain may be chance. It is high, since a false alarm costs
one cycle more, and an unseen gain the trial.
"""

UNSEEN_MAX = 0.10
"""The largest log ratio that noise may hide: if the noise would hide a larger gain, nothing is known yet of the
warm-up.
"""


@dataclass(frozen=True)
class Gain:
    """The gain of the last seconds as a log ratio, and the size of a gain that their noise would hide."""

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
    """Return the gain within the last third of `values`, one for each second; None for too few, or one at 0."""
    found = drift([values[-max(LEAST_S, len(values) // 3) :]], better)
    if found is None:
        return None
    return Gain(found.estimate, quantile(found.degrees, 1 - LEVEL) * found.error)
