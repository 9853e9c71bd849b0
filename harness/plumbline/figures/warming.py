"""How long a warm-up until steady took, and whether it was over when it ended.

The same question is asked while the trial runs, of the same seconds: what a record says of it can be computed again.
"""

from __future__ import annotations

from plumbline.model.evidence import Series, Window
from plumbline.stats import warming as rule
from .series import increase
from .steady import seconds_of
from .view import Found, PhaseView

Loads = tuple[tuple[float, float], ...]
"""Times of load, (start, end) in seconds of the trial."""

# Of one CPU's time over the last cycle. A compiler that takes more has just made the next change to the program.
COMPILING_SHARE = 0.25


def is_over(series: Series, loads: Loads) -> bool:
    """Whether neither CPU time per request falls nor the rate rises any more, as far as the noise lets one see, and the
    compiler rests.

    Of an application without a JVM's counters the compiler is not asked.
    """
    seconds = [seconds_of(series, start_s, end_s) for start_s, end_s in loads]
    known = [one for cycle in seconds if cycle is not None for one in cycle]
    costs = [cost for _, cost in known if cost is not None]
    if not (rule.is_over(costs, "lower") and rule.is_over([rate for rate, _ in known], "higher")):
        return False
    start_s, end_s = loads[-1]
    last = Window(phase="", kind="warm-up", start_s=start_s, end_s=end_s)
    compiled_us = increase(series, "jvm.jit_us", last)
    return compiled_us is None or compiled_us <= COMPILING_SHARE * (end_s - start_s) * 1e6


def warming(view: PhaseView) -> Found:
    """Figures of a warm-up that goes on until steady."""
    if view.phase.least_cycles is None or view.window is None or not view.window.cycles:
        return {}
    loads = view.window.cycles
    return {
        "warm_up_s": sum(end_s - start_s for start_s, end_s in loads),
        "warm_up_over": float(is_over(view.series, loads)),
    }
