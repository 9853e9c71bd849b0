"""How the CPU time of each role's set was shared out within a window: how much anybody used, and how much we did."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from plumbline.model.evidence import Series, Window
from plumbline.model.host import CpuSets, Role
from .series import cpu_share, increase, known_rows, share, window_of_rows

# Time in interrupts is in `busy` already.
_STATES = ("busy", "idle", "iowait", "steal")

# A neighbour that takes more of a role's CPUs than this changes the warm-up.
FOREIGN_IN_WARM_UP_MAX = 0.10

Stretch = tuple[float, float]
"""Start and end of some load, in seconds of the trial."""


class Share(NamedTuple):
    """A share of CPU time of which only the bounds may be known."""

    least: float
    most: float


def busy_share(series: Series, role: Role, window: Window) -> float | None:
    """Return how much of a set's CPU time was used, by anybody, the kernel's network work included; None when a column
    is missing."""
    return share(series, [f"set.{role}.busy_us"], all_columns_of(role), window_of_rows(series, window))


def all_columns_of(role: Role) -> list[str]:
    """Return the columns that add up to all the time of a role's CPUs (interrupts are in `busy`)."""
    return [f"set.{role}.{state}_us" for state in _STATES]


def own_share(series: Series, role: Role, sets: CpuSets, window: Window) -> float | None:
    """Return how much of a set's CPU time the role's own processes used."""
    return cpu_share(series, own_columns(role), len(sets.of(role)), window_of_rows(series, window))


def own_columns(role: Role) -> list[str]:
    """Return the columns with the CPU time of the role's processes; the harness runs on the housekeeping CPUs."""
    process = "harness" if role == "housekeeping" else role
    return [f"cpu.{process}.user_us", f"cpu.{process}.system_us"]


def used_share(series: Series, role: Role, sets: CpuSets, window: Window) -> float | None:
    """Return the share of CPU time that a role used: all that was used of its set, or its own part of a shared set."""
    if len(sets.sharing(role)) > 1:
        return own_share(series, role, sets, window)
    return busy_share(series, role, window)


def foreign_share(series: Series, role: Role, sets: CpuSets, window: Window) -> Share | None:
    """Return the part of a set's time that none of our processes used; interrupts are the kernel's and left out.

    A kernel that does not count the time of interrupts apart adds most of it to the process that was interrupted: it is
    in our processes' CPU time already, and how much of it is not known.
    """
    apart = _counts_interrupts_apart(series, role)
    window = window_of_rows(series, window)
    busy, irq, softirq = (increase(series, f"set.{role}.{state}_us", window) for state in ("busy", "irq", "softirq"))
    own_us = 0.0
    for sharing_role in sets.sharing(role):
        for column in own_columns(sharing_role):
            spent_us = increase(series, column, window)
            if spent_us is None:
                return None
            # A role that shares only some of these CPUs spends only part of its time on them.
            own_us += spent_us * len(set(sets.of(sharing_role)) & set(sets.of(role))) / len(sets.of(sharing_role))
    available = len(sets.of(role)) * (window.end_s - window.start_s) * 1e6
    if busy is None or irq is None or softirq is None or available <= 0:
        return None
    least = max(0.0, busy - irq - softirq - own_us) / available
    return Share(least, least if apart else max(0.0, busy - own_us) / available)


def _counts_interrupts_apart(series: Series, role: Role) -> bool:
    """Return whether the kernel counts the time of interrupts apart from that of processes (IRQ_TIME_ACCOUNTING).

    Otherwise it looks at the moment of its timer, whose own interrupt it does not count: the column stays the same.
    """
    rows = known_rows(series, f"set.{role}.irq_us")
    return bool(rows) and rows[-1][1] > rows[0][1]


def foreign_within(series: Series, role: Role, sets: CpuSets, stretches: Sequence[Stretch]) -> Share | None:
    """Return `foreign_share` of several stretches together; None when one of them is not covered."""
    least_s = most_s = whole_s = 0.0
    for start_s, end_s in stretches:
        window = Window(phase="", kind="warm-up", start_s=start_s, end_s=end_s)
        foreign = foreign_share(series, role, sets, window)
        if foreign is None:
            return None
        lasted_s = end_s - start_s
        least_s, most_s = least_s + foreign.least * lasted_s, most_s + foreign.most * lasted_s
        whole_s += lasted_s
    return Share(least_s / whole_s, most_s / whole_s) if whole_s > 0 else None


def may_be_disturbed(series: Series, sets: CpuSets, roles: Iterable[Role], stretches: Sequence[Stretch]) -> bool:
    """Return whether a neighbour of one of the roles changed the warm-up in these stretches, or may have: CPU times
    were not read."""
    shares = (foreign_within(series, role, sets, stretches) for role in roles)
    return bool(stretches) and any(foreign is None or foreign.most > FOREIGN_IN_WARM_UP_MAX for foreign in shares)
