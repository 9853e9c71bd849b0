"""The work done in the first ten seconds of load: what a program gives before it is warm, alike for everybody."""

from __future__ import annotations

from itertools import takewhile

from plumbline.model.evidence import Series, Window
from plumbline.model.plan import Phase, Scenario
from .series import MAX_GAP_S, increase, known
from .steady import stretches
from .view import Found, PhaseView

FIRST_S = 10.0
COUNT = "load.requests"
CLOCK_S = 0.01
"""A load lasts ten seconds even where the rounded times of its ends give a little less."""


def first_seconds(view: PhaseView) -> Found:
    """Return a figure of the phase with the first load; absent where closed load lasts less than ten seconds."""
    return {"first_10_s_requests": _answered(view)} if view.loads else {}


def loads_from(phase: Phase, scenario: Scenario) -> tuple[Phase, ...]:
    """Return the phases of closed load that the first ten seconds lie in, for the phase that they begin with; none for
    others.

    A fixed rate would only say what was asked for.
    """
    loaded = [one for one in scenario.phases if one.kind in ("warm-up", "closed", "open")]
    closed = tuple(takewhile(lambda one: one.rate_per_s is None and one.rate_share is None, loaded))
    return closed if closed and closed[0] == phase else ()


def _answered(view: PhaseView) -> float | None:
    windows = {window.phase: window for window in view.evidence.windows}
    left_s, answered = FIRST_S, 0.0
    for phase in view.loads:
        for start_s, end_s in stretches(phase, windows.get(phase.name)):
            grown = _grown(view.series, start_s, end_s, left_s)
            if grown is None:
                return None
            answered, left_s = answered + grown, left_s - (end_s - start_s)
            if left_s <= CLOCK_S:
                return answered
    return None


def _grown(series: Series, start_s: float, end_s: float, left_s: float) -> float | None:
    """Return requests of a stretch of load, of its first `left_s` seconds at most; None where they were not counted.

    Nothing is answered before it and after it: an end of it lies on the row beyond, and not on a line to that.
    """
    rows_s = [t_s for t_s, _ in known(series, COUNT)]
    before_s = max((t_s for t_s in rows_s if start_s - MAX_GAP_S <= t_s <= start_s), default=start_s)
    until_s = start_s + left_s
    if until_s >= end_s - CLOCK_S:
        until_s = min((t_s for t_s in rows_s if end_s <= t_s <= end_s + MAX_GAP_S), default=end_s)
    return increase(series, COUNT, Window(phase="", kind="closed", start_s=before_s, end_s=until_s))
