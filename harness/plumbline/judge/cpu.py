"""CPU time of roles and of their sets, between the first and the last row inside a window."""

from __future__ import annotations

from plumbline.figures.series import cpu_share, increase, inside, share, total_increase
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
