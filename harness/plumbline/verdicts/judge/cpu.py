"""CPU time that the application's control group did not count, and who stood still while answers failed to come."""

from __future__ import annotations

from collections.abc import Callable, Set
from functools import cache, partial
from itertools import pairwise
from typing import NamedTuple

from plumbline.model.evidence import TICK_US, Evidence, Series, Window
from plumbline.model.host import Role
from plumbline.verdicts.figures.series import MAX_GAP_S, Growth, known_rows, total_increase
from plumbline.verdicts.figures.shares import own_columns

# A thread's time is counted in steps of 10 ms and read once a second: no error of that reading is both a
# tenth of the time and two tenths of a second.
UNCOUNTED_MIN, UNCOUNTED_MIN_US = 0.10, 200_000


def uncounted_us(evidence: Evidence, window: Window) -> float | None:
    """Return CPU time that the application's threads used and its control group did not count, since a process was
    moved out of the group.

    None where the group counts all CPU time, as far as the threads that were seen can tell.
    """
    of_threads_us = sum(use.cpu_us for use in evidence.threads if use.phase == window.phase)
    counted_us = total_increase(evidence.series, own_columns("app"), window)
    if counted_us is None:
        return None
    missing_us = of_threads_us - counted_us
    return missing_us if missing_us > max(UNCOUNTED_MIN * of_threads_us, UNCOUNTED_MIN_US) else None


# An idle JVM spends a thousandth of a CPU on its own timers, a server that is asked each second half of that. A
# role that spends less than a tenth of the latter did not run.
STILL_SHARE = 0.00003
# A row or two after a short stop its queue is worked off, and answers come again.
ANSWERED_SHARE = 0.1


class Pause(NamedTuple):
    """A role that did not run, for so many seconds; `doubt` says why it may have run, None where it did not."""

    role: Role
    seconds: float
    doubt: str | None


def pause_within(series: Series, window: Window, expected_per_s: float) -> Pause | None:
    """Return the longest pause of a role while answers failed to come, a sure one before all others; None if there is
    none.

    CPU time in ticks of 10 ms does not tell a role that stood still from one that ran a little. Only whole intervals
    between two rows are examined. A stopped database or k6 does not answer the sampler either; so a stopped database
    differs from a database that nobody asks because the application is stopped. Where the sampler never asks the
    database (in a cluster, or in a workload without a database), the database is never named. A long trial does not
    keep the CPU time of every second, and nobody reads that of a database at an address: its silence is a mere doubt.
    """
    paused: dict[tuple[Role, bool], float] = {}
    growth_of = cache(partial(_growth_from_row_to_row, series))
    answer_times = cache(partial(_answer_times, series))
    for start_s, end_s in pairwise(t_s for t_s in series.t_s if window.start_s <= t_s <= window.end_s):
        if end_s - start_s > MAX_GAP_S:
            continue
        role = _still_role(growth_of, answer_times, start_s, end_s, ANSWERED_SHARE * expected_per_s * (end_s - start_s))
        if role is not None:
            key = role, _stood_still(growth_of, role, start_s, end_s) is not None
            paused[key] = paused.get(key, 0.0) + end_s - start_s
    pauses = [Pause(role, seconds, _doubt(series, role, was_read)) for (role, was_read), seconds in paused.items()]
    return max(pauses, key=lambda pause: (pause.doubt is None, pause.seconds), default=None)


def _growth_from_row_to_row(series: Series, column: str) -> Growth:
    """Return the growth of a counter between two rows; None where one of them was not kept, since a line through a hole
    would spread what was used before and after a pause over the pause.
    """
    rows = dict(known_rows(series, column))
    return lambda start_s, end_s: rows[end_s] - rows[start_s] if start_s in rows and end_s in rows else None


def _doubt(series: Series, role: Role, was_read: bool) -> str | None:
    """Return why a role that seems to have stood still may have run; None where it did not run."""
    if not was_read:
        return "its CPU time was not read"
    times_us = [value for column in own_columns(role) for _, value in known_rows(series, column)]
    # /proc has whole ticks; control groups count finer.
    if any(value % TICK_US for value in times_us):
        return None
    return "its CPU time was read in steps of 10 ms, and it used none or less than a step"


def _still_role(
    growth_of: Callable[[str], Growth],
    answer_times: Callable[[str], Set[float]],
    start_s: float,
    end_s: float,
    answers_min: float,
) -> Role | None:
    """Return the role that stood still, by what was read, in an interval with no more answers than `answers_min`.

    `growth_of` gives the growth of a column's counter, `answer_times` the moments at which its sampler was answered.
    """
    if _stood_still(growth_of, "load", start_s, end_s) and end_s not in answer_times("load.requests"):
        return "load"
    answers = growth_of("load.requests")(start_s, end_s)
    if answers is None or answers > answers_min:
        return None
    asked = answer_times("db.active")
    is_silent, is_still = asked and end_s not in asked, _stood_still(growth_of, "db", start_s, end_s)
    if is_silent and is_still:
        return "db"
    if _stood_still(growth_of, "app", start_s, end_s):
        return "app"
    # After one failed answer the sampler rests for some seconds, whether or not the database runs.
    return "db" if is_silent and is_still is None else None


def _stood_still(growth_of: Callable[[str], Growth], role: Role, start_s: float, end_s: float) -> bool | None:
    """Return whether a role used no CPU time; None where that is not known."""
    spent_us = [growth_of(column)(start_s, end_s) for column in own_columns(role)]
    known_us = [us for us in spent_us if us is not None]
    # A long trial keeps only the user part of the load generator's CPU time; a running one has both parts.
    if len(known_us) < len(spent_us) and (role != "load" or not known_us):
        return None
    return sum(known_us) <= STILL_SHARE * (end_s - start_s) * 1e6


def _answer_times(series: Series, column: str) -> Set[float]:
    """Return the moments at which the sampler was answered."""
    rows = dict(zip(series.t_s, series.columns.get(column, ()), strict=False))
    return {t_s for t_s, value in rows.items() if value is not None}
