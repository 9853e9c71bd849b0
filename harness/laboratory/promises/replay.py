"""Recorded curves of warm-up, replayed: did the figure of a window end up within its bound?

Each curve is one process under load from its start, second by second. Every few seconds a window of it is taken as if
it were a measured part, and what the rest of the curve went on to do is held against the window's bound.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from plumbline.stats.drift import OTHER_LIMIT, drift
from plumbline.stats.interval import mean

WINDOW_S = 30
STEP_S = 5
REST_S = 20
"""Of what comes after a window; less says nothing of where the curve went."""

LEAST_CURVE_S = WINDOW_S + REST_S


@dataclass(frozen=True)
class Replayed:
    """Counts over all windows of all curves.

    Of `windows` so many were `proven` steady, and of those so many were `held`: the rest of the curve was no cheaper
    than the bound allowed. `fell` is the number of windows that the curve left by more than the limit, and `missed` how
    many of those had been proven steady.
    """

    curves: int
    windows: int
    proven: int
    held: int
    fell: int
    missed: int


def replayed(curves: Iterable[Sequence[float]]) -> Replayed:
    """Replay curves of CPU time per request, all above zero; those that are too short are left out."""
    count = windows = proven = held = fell = missed = 0
    for curve in curves:
        if len(curve) < LEAST_CURVE_S:
            continue
        count += 1
        for start in range(0, len(curve) - LEAST_CURVE_S + 1, STEP_S):
            window, rest = curve[start : start + WINDOW_S], curve[start + WINDOW_S :]
            found = drift([window], "lower")
            if found is None:
                continue
            gained = math.log(mean(window) / mean(rest))
            steady = found.steady_within(OTHER_LIMIT)
            left = gained > math.log1p(OTHER_LIMIT)
            windows += 1
            proven += steady
            held += steady and gained <= found.may_improve
            fell += left
            missed += left and steady
    return Replayed(count, windows, proven, held, fell, missed)
