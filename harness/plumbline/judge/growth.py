"""Computes how much the counters of a host grew over a session."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from plumbline.model.host import HostReading


@dataclass(frozen=True)
class CounterGrowth:
    """The growth of each CPU's counter, and the seconds that it took."""

    counts: Mapping[int, int]
    seconds: float


def grown(
    readings: Sequence[HostReading], counter: Callable[[HostReading], Mapping[int, int]]
) -> CounterGrowth | None:
    """Return the growth from the first reading to the last.

    None where a counter was not read, where the CPUs changed, or where the host was booted in between, since its
    counters began anew.
    """
    if len(readings) < 2:
        return None
    counts = dict.fromkeys(counter(readings[0]), 0)
    seconds = 0.0
    for before, after in pairwise(readings):
        first, last = counter(before), counter(after)
        if not first or set(first) != set(last) or before.uptime_s is None or after.uptime_s is None:
            return None
        if after.uptime_s <= before.uptime_s or any(last[cpu] < first[cpu] for cpu in first):
            return None
        seconds += after.uptime_s - before.uptime_s
        for cpu in first:
            counts[cpu] += last[cpu] - first[cpu]
    return CounterGrowth(counts, seconds)
