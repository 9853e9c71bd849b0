"""Every CPU runs at one frequency, the same for all."""

from __future__ import annotations

from .face import NeededFor, Reading, Roots, fit, unfit, unknown
from .files import cpu_folder, online_cpus, read

ID = "frequency"
TITLE = "One frequency"
WHY = "Between two frequencies heat and load choose, so the same program differs from trial to trial."
NEEDED_FOR: NeededFor = "lab"

# The base frequency is what a CPU can hold for hours; not every driver shows it.
COMMAND = (
    "sudo sh -c 'for c in /sys/devices/system/cpu/cpu*/cpufreq; do "
    "f=$(cat $c/base_frequency 2>/dev/null || cat $c/cpuinfo_max_freq); "
    "echo $f >$c/scaling_max_freq; echo $f >$c/scaling_min_freq; done'"
)


def check(roots: Roots) -> Reading:
    """From `cpufreq/scaling_min_freq` and `scaling_max_freq` (kHz) of every online CPU."""
    folder = cpu_folder(roots)
    cpus = online_cpus(read(folder / "online"))
    ranges: list[tuple[int, int]] = []
    for cpu in cpus:
        ends = [read(folder / f"cpu{cpu}" / f"cpufreq/scaling_{end}_freq") for end in ("min", "max")]
        if all(end is not None and end.isdigit() for end in ends):
            ranges.append((int(ends[0] or 0), int(ends[1] or 0)))
    if not ranges:
        return unknown("no range of frequencies is shown (cpufreq), as in most virtual machines")
    least, most = min(low for low, _ in ranges), max(high for _, high in ranges)
    if least != most:
        return unfit(f"from {least / 1000:.0f} to {most / 1000:.0f} MHz", COMMAND)
    if len(ranges) < len(cpus):
        return unknown(f"{len(cpus) - len(ranges)} of {len(cpus)} CPUs do not show their frequencies")
    return fit(f"{most / 1000:.0f} MHz on all {len(cpus)} CPUs")
