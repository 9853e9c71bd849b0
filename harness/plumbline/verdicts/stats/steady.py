"""Find the second from which on a series of one-second rates is steady.

The series passes a median filter of three seconds, so that one odd second changes nothing; PELT cuts it into segments
of one level each. The steady part is the longest suffix of segments whose trend stays within a given share and whose
means lie within half that share around the mean of the last segment, if the suffix lasts long enough. A fixed warm-up
can't do this: each trial warms up in its own time, and after any fixed number of seconds some of them are not warm yet.
Whether the noise of a series lets anybody tell that its end is steady is the matter of `drift`.

Find where the mean of a series changes: optimal partitioning with pruning (PELT; Killick, Fearnhead, Eckley 2012).

It finds the segments that minimise the sum over segments of (squared deviations from the segment's mean) / noise
variance, plus a penalty for each segment. The noise is estimated from the differences of successive values, which a
step or a slow trend hardly touches: the median of their sizes over 0.6745 sqrt(2) is the standard deviation of
normal noise.

Written here because the established library does not cover every Python that this project's lock does, and because
stored figures have to be the same bit for bit on every machine: plain sums in a fixed order.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from statistics import median

from .interval import mean

# The median of |x| of a standard normal x.
_NORMAL_QUARTILE = 0.6744897501960817
# Series without any noise still have some resolution; a step of this share of the level is no step.
_RESOLUTION_SHARE = 1e-4


def noise_sd(values: Sequence[float]) -> float:
    """Return the standard deviation of the noise from value to value, in the unit of the values; 0 below two values."""
    steps = [abs(after - before) for before, after in pairwise(values)]
    return median(steps) / (_NORMAL_QUARTILE * math.sqrt(2)) if steps else 0.0


def segments(values: Sequence[float], penalty: float, sd: float) -> list[tuple[int, int]]:
    """Return the segments as (start, end) of slices, in order; empty for no values.

    `penalty` is in units of the noise's variance, `sd` the noise's standard deviation.
    """
    count = len(values)
    if count == 0:
        return []
    level = median(abs(value) for value in values)
    variance = max(sd, _RESOLUTION_SHARE * level) ** 2 or 1.0
    sums = [0.0, *accumulate(values)]
    squares = [0.0, *accumulate(value * value for value in values)]

    def cost(start: int, end: int) -> float:
        total = sums[end] - sums[start]
        return (squares[end] - squares[start] - total * total / (end - start)) / variance

    best = [-penalty]
    starts = [0]
    candidates = [0]
    for end in range(1, count + 1):
        costs = [best[start] + cost(start, end) for start in candidates]
        least = min(range(len(costs)), key=costs.__getitem__)
        best.append(costs[least] + penalty)
        starts.append(candidates[least])
        # A start that is worse than the best by more than a new segment's price never comes back.
        candidates = [start for start, so_far in zip(candidates, costs, strict=True) if so_far <= best[end]]
        candidates.append(end)
    parts: list[tuple[int, int]] = []
    end = count
    while end > 0:
        parts.append((starts[end], end))
        end = starts[end]
    return parts[::-1]


# A shorter part is no level but an episode; no phase that short can be proven steady (`drift.LEAST_S`).
LEAST_S = 14
# The price of a segment is this factor times ln(n), in variances of one second. 2 is right for independent noise; the
# median filter makes neighbours alike. In the simulation that test_steady.py repeats, 15 overlooks late steps of 2 % at
# a noise of 1 % (1.3 % of trials off), 3 hardly any (0.3 %), and neither calls a steady series unsteady.
PENALTY_PER_LOG = 3.0
# "Arrived" is this share of the peak.
ARRIVED_SHARE = 0.95
# A level has to last this long to count as the peak.
PEAK_LEAST_S = 3


@dataclass(frozen=True)
class SteadyPart:
    """The steady part of a series. `from_s` is the first steady second, None when it is not steady.

    `steady_s` is the length of the suffix that was found, long enough or not. `arrived_s` is the first second at 95 %
    of the highest level, None for an empty series.
    """

    from_s: int | None
    steady_s: int
    arrived_s: int | None


def steadiness(rates: Sequence[float], within: float, least_s: int = LEAST_S) -> SteadyPart:
    """Return whether the end of a series is steady within a share, and since when; one rate a second."""
    if not rates:
        return SteadyPart(None, 0, None)
    smooth = filtered(rates)
    levels = segments(smooth, PENALTY_PER_LOG * math.log(len(rates)), noise_sd(rates))
    start, trend = _steady_suffix(smooth, levels, within)
    steady_s = len(smooth) - start
    is_steady = abs(trend) < within and steady_s >= least_s
    return SteadyPart(start if is_steady else None, steady_s, _arrival_s(smooth, levels))


def filtered(rates: Sequence[float]) -> list[float]:
    """Return the median of each second and its two neighbours; the ends stay as they are."""
    if len(rates) < 3:
        return list(rates)
    inner = [median(rates[index - 1 : index + 2]) for index in range(1, len(rates) - 1)]
    return [rates[0], *inner, rates[-1]]


def trend_share(values: Sequence[float]) -> float:
    """Return the rise of the least-squares line from the first to the last value over their mean; 0 below three."""
    count = len(values)
    centre = mean(values)
    if count < 3 or centre == 0:
        return 0.0
    middle = (count - 1) / 2
    slope = math.fsum((index - middle) * (value - centre) for index, value in enumerate(values)) / math.fsum(
        (index - middle) ** 2 for index in range(count)
    )
    return slope * (count - 1) / centre


def _steady_suffix(smooth: Sequence[float], levels: Sequence[tuple[int, int]], within: float) -> tuple[int, float]:
    """Return the start and the trend of the longest run of whole segments at the end that is level and flat."""
    last = mean(smooth[levels[-1][0] :])
    starts = [levels[-1][0]]
    for start, end in reversed(levels[:-1]):
        if abs(mean(smooth[start:end]) - last) > within / 2 * abs(last):
            break
        starts.append(start)
    for start in reversed(starts):
        trend = trend_share(smooth[start:])
        if abs(trend) < within:
            return start, trend
    return starts[0], trend_share(smooth[starts[0] :])


def _arrival_s(smooth: Sequence[float], levels: Sequence[tuple[int, int]]) -> int | None:
    lasting = [(start, end) for start, end in levels if end - start >= PEAK_LEAST_S] or list(levels)
    peak = max(mean(smooth[start:end]) for start, end in lasting)
    return next((second for second, rate in enumerate(smooth) if rate >= ARRIVED_SHARE * peak), None)
