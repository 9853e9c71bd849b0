"""Compares the clock of a pod's node with this host's, by the dates of HTTP answers that a program gives there.

A date has whole seconds. The answer that shows a new second bounds the difference from both sides, by the time that the
questions around it took. https://www.rfc-editor.org/rfc/rfc9110#section-6.6.1
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from email.utils import parsedate_to_datetime
from typing import NamedTuple

# The first second finds the change to a sixteenth of a second, the next second to a sixteenth of that, and so on.
_QUESTIONS_A_CHANGE = 16
_LASTS_S = 3.2


class ClockOffset(NamedTuple):
    """How many seconds, at least and at most, a clock is ahead of this host's clock; negative if it is behind."""

    least_s: float
    most_s: float

    @property
    def middle_s(self) -> float:
        """The best guess."""
        return (self.least_s + self.most_s) / 2

    @property
    def unsure_s(self) -> float:
        """How much the guess may be wrong in either direction."""
        return (self.most_s - self.least_s) / 2


def compare(
    date: Callable[[], str],
    now: Callable[[], float] = time.time,
    sleep: Callable[[float], None] = time.sleep,
) -> ClockOffset:
    """Return how far a clock is ahead. `date` asks it for the time, the field `Date` of an answer, and is called again
    for some seconds. Raises ValueError for an answer without a date, and if one of the clocks is set meanwhile.
    """
    least_s, most_s = -math.inf, math.inf
    end_s = now() + _LASTS_S
    while True:
        asked_s = now()
        date_s = parsedate_to_datetime(date()).timestamp()
        answered_s = now()
        least_s, most_s = max(least_s, date_s - answered_s), min(most_s, date_s + 1 - asked_s)
        if least_s > most_s:
            raise ValueError("one of the clocks was set")
        if answered_s >= end_s:
            return ClockOffset(least_s, most_s)
        # The other clock reaches `full_s` between `full_s - most_s` and `full_s - least_s` of this host's clock.
        full_s = math.floor(answered_s + most_s)
        is_near = answered_s + least_s < full_s
        sleep((most_s - least_s) / _QUESTIONS_A_CHANGE if is_near else full_s + 1 - most_s - answered_s)


def clock_words(clocks: Mapping[str, ClockOffset]) -> str:
    """Return how far the clocks of nodes are ahead, in words."""
    return ", ".join(
        f"{node} {clock.middle_s * 1000:.1f} ± {clock.unsure_s * 1000:.1f} ms" for node, clock in clocks.items()
    )
