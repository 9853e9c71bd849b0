"""Compute how long a warm-up until steady took, and whether the program was steady when it ended.

One that ended before its cap was over: the harness saw so while the trial ran. At the cap the same question is asked
again, of the rows that the record keeps; of the compiler a long trial keeps only some of them (record/thin.py).
"""

from __future__ import annotations

from plumbline.model.evidence import Series
from plumbline.stats.warming import gain_of
from .series import known
from .steady import seconds_of
from .view import Found, PhaseView

Loads = tuple[tuple[float, float], ...]
"""Times of load, (start, end) in seconds of the trial."""

# Of the time of the last cycle, in which compilations ran or waited for a CPU. A compiler that is busier has just made
# the next change to the program.
COMPILING_SHARE = 0.25


def is_over(series: Series, loads: Loads) -> bool:
    """Return whether CPU time per request falls no more as far as its noise lets one see, no rise of the rate is seen,
    and the compiler rests.

    The rate may be the load generator's, or a neighbour's: that it can't be seen for noise holds nothing up.
    """
    seconds = [seconds_of(series, start_s, end_s) for start_s, end_s in loads]
    known_seconds = [one for cycle in seconds if cycle is not None for one in cycle]
    cost = gain_of([cost for _, cost in known_seconds if cost is not None], "lower")
    rate = gain_of([rate for rate, _ in known_seconds], "higher")
    if cost is None or not cost.is_over or (rate is not None and rate.goes_on):
        return False
    compiling = _compiling_share(series, *loads[-1])
    return compiling is None or compiling <= COMPILING_SHARE


def _compiling_share(series: Series, start_s: float, end_s: float) -> float | None:
    """Return how much of the time since the last row before `start_s` compilations took; None for what has no JVM.

    Rows may be missing: the counter of what is not read goes on.
    """
    rows = [(t_s, value) for t_s, value in known(series, "jvm.jit_us") if t_s <= end_s]
    before = [row for row in rows if row[0] <= start_s]
    if not before or before[-1] == rows[-1]:
        return None
    (from_s, from_us), (to_s, to_us) = before[-1], rows[-1]
    return (to_us - from_us) / ((to_s - from_s) * 1e6)


def warming(view: PhaseView) -> Found:
    """Return figures of a warm-up that goes on until steady."""
    if view.phase.least_cycles is None or view.window is None or not view.window.cycles:
        return {}
    loads = view.window.cycles
    return {
        "warm_up_s": sum(end_s - start_s for start_s, end_s in loads),
        "warm_up_over": float(len(loads) < view.phase.cycles or is_over(view.series, loads)),
    }
