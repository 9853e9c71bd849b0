"""The condition that time is read from the CPU."""

from __future__ import annotations

from .changes import Change, Value
from .face import NeededFor, Reading, Roots, fit, unfit, unknown
from .files import read

ID = "clocksource"
TITLE = "Clock read from the CPU (tsc)"
WHY = "With hpet or acpi_pm each look at the clock is a system call, which costs a load generator about a microsecond."
NEEDED_FOR: NeededFor = "lab"
SOURCE = "https://docs.kernel.org/timers/timekeeping.html"

# The counter of the CPU itself on x86 and on 64-bit Arm.
WANTED = ("tsc", "arch_sys_counter")


def check(roots: Roots) -> Reading:
    """Read clocksource0/current_clocksource."""
    folder = roots.sys / "devices/system/clocksource/clocksource0"
    current = read(folder / "current_clocksource")
    if not current:
        return unknown("not shown (current_clocksource)")
    if current in WANTED:
        return fit(current)
    offered = [name for name in (read(folder / "available_clocksource") or "").split() if name in WANTED]
    command = f"echo {offered[0]} | sudo tee {folder / 'current_clocksource'}" if offered else None
    return unfit(f"{current}{'' if offered else ', and the kernel offers no tsc'}", command)


def changes(roots: Roots) -> list[Change]:
    """Return the change to the CPU's own counter, if the kernel offers it."""
    folder = roots.sys / "devices/system/clocksource/clocksource0"
    offered = (read(folder / "available_clocksource") or "").split()
    counters = [name for name in WANTED if name in offered]
    return [Value(folder / "current_clocksource", counters[0])] if counters else []
