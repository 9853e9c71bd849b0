"""How the CPU time of each role's set was shared out within a window: by whom it was used, and by whom of us."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from plumbline.model.evidence import Series, Window
from plumbline.model.host import CpuSets, Role
from .series import cpu_share, increase, inside, share

# Time in interrupts is in `busy` already.
_STATES = ("busy", "idle", "iowait", "steal")

# A neighbour that takes more of a role's CPUs than this makes another warm-up of it.
FOREIGN_IN_WARM_UP_MAX = 0.10

Stretch = tuple[float, float]
"""Start and end of some load, in seconds of the trial."""


def busy_share(series: Series, role: Role, window: Window) -> float | None:
    """Return how much of a set's CPU time was used, by anybody, the kernel's network work included; None when a column
    is missing."""
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


def foreign_within(series: Series, role: Role, sets: CpuSets, stretches: Sequence[Stretch]) -> float | None:
    """Return `foreign_share` of several stretches together; None when one of them is not covered."""
    taken_s = whole_s = 0.0
    for start_s, end_s in stretches:
        window = Window(phase="", kind="warm-up", start_s=start_s, end_s=end_s)
        foreign = foreign_share(series, role, sets, window)
        if foreign is None:
            return None
        taken_s, whole_s = taken_s + foreign * (end_s - start_s), whole_s + end_s - start_s
    return taken_s / whole_s if whole_s > 0 else None


def is_disturbed(series: Series, sets: CpuSets, roles: Iterable[Role], stretches: Sequence[Stretch]) -> bool:
    """Return whether a neighbour of one of the roles made another warm-up of these stretches, as far as CPU times were
    read."""
    shares = (foreign_within(series, role, sets, stretches) for role in roles)
    return any(share is not None and share > FOREIGN_IN_WARM_UP_MAX for share in shares)
