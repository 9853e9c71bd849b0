"""The condition that every CPU has the governor `performance`."""

from __future__ import annotations

from .changes import Change, Value
from .face import NeededFor, Reading, Roots, fit, unfit, unknown
from .files import cpu_folder, first_threads, online_cpus, read

ID = "governor"
TITLE = "Governor performance on all CPUs"
WHY = "Other governors raise the frequency only once load has come, so light rates are measured on a slower CPU."
NEEDED_FOR: NeededFor = "lab"
SOURCE = "https://docs.kernel.org/admin-guide/pm/cpufreq.html"

WANTED = "performance"
COMMAND = "echo performance | sudo tee /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor"


def check(roots: Roots) -> Reading:
    """Read `cpufreq/scaling_governor` of every online CPU."""
    folder = cpu_folder(roots)
    cpus = online_cpus(read(folder / "online"))
    governors = [read(folder / f"cpu{cpu}" / "cpufreq/scaling_governor") for cpu in cpus]
    shown = [governor for governor in governors if governor]
    if not shown:
        return unknown("no frequency control is shown (cpufreq), as in most virtual machines")
    other_governors = sorted({governor for governor in shown if governor != WANTED})
    if other_governors:
        slow = sum(governor != WANTED for governor in shown)
        return unfit(f"{', '.join(other_governors)} on {slow} of {len(cpus)} CPUs", COMMAND)
    if len(shown) < len(cpus):
        return unknown(f"{len(cpus) - len(shown)} of {len(cpus)} CPUs do not show their governor")
    return fit(f"{WANTED} on all {len(cpus)} CPUs")


def changes(roots: Roots) -> list[Change]:
    """Return the changes to `performance` for every CPU whose driver offers it."""
    folder = cpu_folder(roots)
    return [
        Value(folder / f"cpu{cpu}/cpufreq/scaling_governor", WANTED)
        for cpu in first_threads(roots)
        if WANTED in (read(folder / f"cpu{cpu}/cpufreq/scaling_available_governors") or "").split()
    ]
