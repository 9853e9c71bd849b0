"""Who did not run while requests waited: by CPU time of its own, and by whether it answered."""

from __future__ import annotations

from itertools import pairwise

from plumbline.figures.series import MAX_GAP_S, increase
from plumbline.model.evidence import Series, Window
from plumbline.model.host import Role
from .cpu import own_columns

# An idle JVM spends a thousandth of a CPU on its own timers, a server that is asked each second half of that. Who
# spends less than a tenth of the latter was not there to run.
STILL_SHARE = 0.00003
# A row or two later the queue of a short stop is through, and answers come again.
ANSWERED_SHARE = 0.1


def paused_s(series: Series, window: Window, expected_per_s: float) -> tuple[Role, float] | None:
    """The role that did not run while answers failed to come, and for how many seconds of the window; None if none.

    Looked at are whole intervals between two rows. A database or a k6 that is stopped does not answer the sampler
    either, which tells the database from one that nobody asks since the application is stopped; its CPU time is not
    kept of every second of a long trial.
    """
    found: dict[Role, float] = {}
    for start_s, end_s in pairwise(t_s for t_s in series.t_s if window.start_s <= t_s <= window.end_s):
        if end_s - start_s > MAX_GAP_S:
            continue
        between = window.model_copy(update={"start_s": start_s, "end_s": end_s})
        role = _who(series, between, ANSWERED_SHARE * expected_per_s * (end_s - start_s))
        if role is not None:
            found[role] = found.get(role, 0.0) + end_s - start_s
    return max(found.items(), key=lambda one: one[1], default=None)


def _who(series: Series, between: Window, answers_min: float) -> Role | None:
    """Who stood still in an interval with fewer answers."""
    if _stood_still(series, "load", between) and not _told(series, "load.requests", between.end_s):
        return "load"
    answers = increase(series, "load.requests", between)
    if answers is None or answers > answers_min:
        return None
    if _stood_still(series, "db", between) is not False and not _told(series, "db.active", between.end_s):
        return "db"
    return "app" if _stood_still(series, "app", between) else None


def _stood_still(series: Series, role: Role, between: Window) -> bool | None:
    """Whether a role used no CPU time; None where that is not known."""
    spent = [increase(series, column, between) for column in own_columns(role)]
    known = [us for us in spent if us is not None]
    # Of the load generator a long trial keeps the user's part alone, and one that runs has both.
    if len(known) < len(spent) and (role != "load" or not known):
        return None
    return sum(known) <= STILL_SHARE * (between.end_s - between.start_s) * 1e6


def _told(series: Series, column: str, t_s: float) -> bool:
    """Whether the sampler was answered at that moment."""
    rows = dict(zip(series.t_s, series.columns.get(column, ()), strict=False))
    return rows.get(t_s) is not None
