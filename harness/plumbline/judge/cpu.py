"""CPU time of roles and of their sets within a window, and who stood still meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Set
from functools import cache, partial
from itertools import pairwise

from plumbline.figures.series import (
    MAX_GAP_S,
    Growth,
    cpu_share,
    growth,
    increase,
    inside,
    share,
    total_increase,
)
from plumbline.model.evidence import Evidence, Series, Window
from plumbline.model.host import CpuSets, Role

_STATES = ("busy", "idle", "iowait", "steal")

# A thread's time is told in steps of 10 ms and read once a second; a tenth, and two tenths of a second, is more.
UNCOUNTED_MIN, UNCOUNTED_MIN_US = 0.10, 200_000


def busy_share(series: Series, role: Role, window: Window) -> float | None:
    """Return how much of a set's CPU time was used, by anybody; None when a column is missing."""
    return share(series, [f"set.{role}.busy_us"], whole_of(role), inside(series, window))


def whole_of(role: Role) -> list[str]:
    """Return the columns that add up to all the time of a role's CPUs (interrupts are in `busy`)."""
    return [f"set.{role}.{state}_us" for state in _STATES]


def own_share(series: Series, role: Role, sets: CpuSets, window: Window) -> float | None:
    """Return how much of a set's CPU time the role's own processes used."""
    return cpu_share(series, own_columns(role), len(sets.of(role)), inside(series, window))


def own_columns(role: Role) -> list[str]:
    """Return CPU time of the role's processes; the harness runs on the housekeeping CPUs."""
    process = "harness" if role == "housekeeping" else role
    return [f"cpu.{process}.user_us", f"cpu.{process}.system_us"]


def used_share(series: Series, role: Role, sets: CpuSets, window: Window) -> float | None:
    """Return the CPU time that a role used: all of its set, or its own processes' where sets are shared."""
    if len(sets.sharing(role)) > 1:
        return own_share(series, role, sets, window)
    return busy_share(series, role, window)


def foreign_share(series: Series, role: Role, sets: CpuSets, window: Window) -> float | None:
    """Return the part of a set's time that none of our processes used; interrupts are the kernel's, and left out."""
    window = inside(series, window)
    busy, irq, softirq = (
        increase(series, f"set.{role}.{state}_us", window) for state in ("busy", "irq", "softirq")
    )
    ours = 0.0
    for other in sets.sharing(role):
        for column in own_columns(other):
            spent = increase(series, column, window)
            if spent is None:
                return None
            # A role that shares only some of these CPUs spends only part of its time on them.
            ours += spent * len(set(sets.of(other)) & set(sets.of(role))) / len(sets.of(other))
    available = len(sets.of(role)) * (window.end_s - window.start_s) * 1e6
    if busy is None or irq is None or softirq is None or available <= 0:
        return None
    return max(0.0, busy - irq - softirq - ours) / available


def uncounted_us(evidence: Evidence, window: Window) -> float | None:
    """Return CPU time that the application's threads used and its control group did not count, since it was moved out
    of it.

    None where the group counts it all, as far as threads that were seen can tell.
    """
    of_threads = sum(use.cpu_us for use in evidence.threads if use.phase == window.phase)
    counted_us = total_increase(evidence.series, own_columns("app"), window)
    if counted_us is None:
        return None
    missing_us = of_threads - counted_us
    return missing_us if missing_us > max(UNCOUNTED_MIN * of_threads, UNCOUNTED_MIN_US) else None


# An idle JVM spends a thousandth of a CPU on its own timers, a server that is asked each second half of that. Who
# spends less than a tenth of the latter was not there to run.
STILL_SHARE = 0.00003
# A row or two later the queue of a short stop is through, and answers come again.
ANSWERED_SHARE = 0.1


def paused_s(series: Series, window: Window, expected_per_s: float) -> tuple[Role, float] | None:
    """Return the role that did not run while answers failed to come, and the seconds of the window in which it did not;
    None if there is none.

    Only whole intervals between two rows are examined. A stopped database or k6 does not answer the sampler either; so
    a stopped database differs from a database that nobody asks because the application is stopped. A long trial does
    not keep the CPU time of every second.
    """
    found: dict[Role, float] = {}
    grown = cache(partial(growth, series))
    told = cache(partial(_told, series))
    for start_s, end_s in pairwise(t_s for t_s in series.t_s if window.start_s <= t_s <= window.end_s):
        if end_s - start_s > MAX_GAP_S:
            continue
        role = _who(grown, told, start_s, end_s, ANSWERED_SHARE * expected_per_s * (end_s - start_s))
        if role is not None:
            found[role] = found.get(role, 0.0) + end_s - start_s
    return max(found.items(), key=lambda one: one[1], default=None)


def _who(
    grown: Callable[[str], Growth],
    told: Callable[[str], Set[float]],
    start_s: float,
    end_s: float,
    answers_min: float,
) -> Role | None:
    """Return the role that stood still in an interval with fewer answers.

    `grown` is the growth of a column's counter, `told` the moments at which a column's sampler was answered.
    """
    if _stood_still(grown, "load", start_s, end_s) and end_s not in told("load.requests"):
        return "load"
    answers = grown("load.requests")(start_s, end_s)
    if answers is None or answers > answers_min:
        return None
    if _stood_still(grown, "db", start_s, end_s) is not False and end_s not in told("db.active"):
        return "db"
    return "app" if _stood_still(grown, "app", start_s, end_s) else None


def _stood_still(grown: Callable[[str], Growth], role: Role, start_s: float, end_s: float) -> bool | None:
    """Return whether a role used no CPU time; None where that is not known."""
    spent = [grown(column)(start_s, end_s) for column in own_columns(role)]
    known = [us for us in spent if us is not None]
    # A long trial keeps only the user part of the load generator's CPU time; a running one has both parts.
    if len(known) < len(spent) and (role != "load" or not known):
        return None
    return sum(known) <= STILL_SHARE * (end_s - start_s) * 1e6


def _told(series: Series, column: str) -> Set[float]:
    """Return the moments at which the sampler was answered."""
    rows = dict(zip(series.t_s, series.columns.get(column, ()), strict=False))
    return {t_s for t_s, value in rows.items() if value is not None}
