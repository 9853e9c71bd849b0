"""Is a warm-up over? Asked while it runs, of what each second showed so far.

The later half of the load is cut in two, and the means of the two parts are held against each other. A program that is
still being compiled follows something like a power of time: what it gains in the second half of a warm-up it gains
again in as long a measured part, so that a fall seen there is about the drift that figures would have.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from .moments import mean, variance
from .student import quantile

# Each of the two parts has so many seconds at least, else one collection of garbage decides.
LEAST_PART = 5
# A change smaller than this is none: lab hosts have to show 2 % (METHOD 1.5), and no host does better in a warm-up.
STILL_SHARE = 0.02
# Where the noise would hide a change of this size, nothing is known yet.
UNSEEN_SHARE = 0.05
# One-sided: a change beyond this level is seen, one within it may be chance. High, since a false alarm costs a cycle
# more, and a fall that goes unseen the trial.
LEVEL = 0.2
# Neighbouring seconds are alike, and a short series says so badly: no factor is taken from more than this.
MOST_ALIKE = 0.6


@dataclass(frozen=True)
class Change:
    """How much lower the later seconds are than the earlier ones: `fall` is a share, `unseen` what noise would hide."""

    fall: float
    unseen: float

    @property
    def still_falls(self) -> bool:
        """Whether a fall is seen that is worth waiting for."""
        return self.fall > max(STILL_SHARE, self.unseen)

    @property
    def over(self) -> bool:
        """Whether nothing falls any more, as far as the noise lets one see, and it lets one see enough."""
        return not self.still_falls and self.unseen <= UNSEEN_SHARE


def change_of(values: Sequence[float]) -> Change | None:
    """The change within the later half of values above zero, one a second of load; None for too few of them."""
    logs = [math.log(value) for value in values[-max(2 * LEAST_PART, len(values) // 2) :] if value > 0]
    if len(logs) < 2 * LEAST_PART:
        return None
    middle = len(logs) // 2
    parts = logs[:middle], logs[middle:]
    centres = [mean(part) for part in parts]
    left = [value - centre for part, centre in zip(parts, centres, strict=True) for value in part]
    error = math.sqrt(math.fsum(variance(part) / len(part) for part in parts)) * _alike(left)
    return Change(
        fall=-math.expm1(centres[1] - centres[0]),
        unseen=math.expm1(quantile(len(logs) - 2, 1 - LEVEL) * error),
    )


def _alike(left: Sequence[float]) -> float:
    """By how much the error of a mean grows since neighbours are alike: sqrt((1 + r) / (1 - r)) of a first-order process.

    r is the lag-one autocorrelation of what is left of the values without their means.
    """
    whole = math.fsum(value**2 for value in left)
    if whole == 0:
        return 1.0
    r = math.fsum(one * other for one, other in zip(left, left[1:], strict=False)) / whole
    alike = min(MOST_ALIKE, max(0.0, r))
    return math.sqrt((1 + alike) / (1 - alike))
