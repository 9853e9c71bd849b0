"""The condition that the kernel watches only the housekeeping CPUs for lockups."""

from __future__ import annotations

from .changes import Change, Value
from .face import NeededFor, Reading, Roots, fit, not_applicable, unfit, unknown
from .files import format_cpus, lacks, online_cpus, read

ID = "watchdog"
TITLE = "Kernel's watchdog on the housekeeping CPUs"
WHY = "The watchdog wakes a thread of the kernel on each CPU that it watches every few seconds, whatever runs there."
NEEDED_FOR: NeededFor = "extra"
SOURCE = "https://docs.kernel.org/admin-guide/lockup-watchdogs.html"


def check(roots: Roots) -> Reading:
    """Read kernel.watchdog_cpumask. Only reported: nobody has shown how much it is worth here.

    The kernel's other threads need no measure: those that may move leave the CPUs of a session's partitions.
    """
    path = roots.proc / "sys/kernel/watchdog_cpumask"
    if lacks(path):
        return not_applicable("this kernel has no watchdog")
    watched = read(path)
    if watched is None or not roots.app_cpus:
        return unknown("which CPUs are watched is not shown (kernel.watchdog_cpumask)")
    shared = set(online_cpus(watched)) & set(roots.app_cpus)
    if shared:
        return unfit(f"CPUs {format_cpus(shared)} are watched", "sudo bench-host apply --only watchdog")
    return fit(f"only CPUs {watched} are watched" if watched else "no CPU is watched")


def changes(roots: Roots) -> list[Change]:
    """Return the change to the housekeeping CPUs, so that a lockup there is still found."""
    path = roots.proc / "sys/kernel/watchdog_cpumask"
    if not roots.housekeeping or read(path) is None:
        return []
    return [Value(path, format_cpus(roots.housekeeping))]
