"""Compute how long a process should be measured, so that a given time decides most (Kalibera and Jones 2013, two
levels).

A trial costs the time before its measured part (start, warm-up) and that part itself. Longer parts reduce the scatter
within a process, more trials reduce the scatter between processes as well: the variance of a mean over a time T of
trials of c + L seconds each, (b^2 + w^2 / L) (c + L) / T, is least at L = sqrt(c w^2 / b^2).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from .interval import mean, variance


@dataclass(frozen=True)
class Levels:
    """The scatter as shares: `processes` between processes, `seconds` between the seconds of a process."""

    processes: float
    seconds: float

    def best_s(self, before_s: float) -> float | None:
        """Return the length that decides most in a given time, after `before_s` seconds; None for equal processes."""
        return math.sqrt(before_s) * self.seconds / self.processes if self.processes > 0 else None


def levels_of(subjects: Sequence[Sequence[float]], seconds_cv: Sequence[float], length_s: float) -> Levels | None:
    """Return the scatter of trials of `length_s` measured seconds. None where no subject has two trials.

    `subjects` has the values of each subject's trials, above zero, `seconds_cv` how the seconds of each trial scattered
    (a share).
    """
    groups = [[math.log(value) for value in values] for values in subjects if len(values) >= 2]
    if not groups or not seconds_cv or length_s <= 0:
        return None
    degrees = sum(len(logs) - 1 for logs in groups)
    total = math.fsum(variance(logs) * (len(logs) - 1) for logs in groups) / degrees
    within = mean([cv**2 for cv in seconds_cv])
    return Levels(math.sqrt(max(0.0, total - within / length_s)), math.sqrt(within))
