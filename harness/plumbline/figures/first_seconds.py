"""The work done in the first ten seconds of load: what a program gives before it is warm, alike for everybody."""

from __future__ import annotations

from itertools import takewhile

from plumbline.model.plan import Phase, Scenario
from .series import increase
from .steady import stretches
from .view import Found, PhaseView

FIRST_S = 10.0


def first_seconds(view: PhaseView) -> Found:
    """A figure of the phase with the first load; absent where closed load lasts less than ten seconds."""
    return {"first_10_s_requests": _answered(view)} if view.loads else {}


def loads_from(phase: Phase, scenario: Scenario) -> tuple[Phase, ...]:
    """The phases of closed load that the first ten seconds lie in, for the phase that they begin with; none for others.

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
            took_s = min(left_s, end_s - start_s)
            window = windows[phase.name].model_copy(update={"start_s": start_s, "end_s": start_s + took_s})
            grown = increase(view.series, "load.requests", window)
            if grown is None:
                return None
            answered, left_s = answered + grown, left_s - took_s
            if left_s <= 0:
                return answered
    return None
