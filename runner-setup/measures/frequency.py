"""The condition that every CPU runs at one frequency, the same for all."""

from __future__ import annotations

import re
from pathlib import Path

from .changes import Change, Value
from .face import NeededFor, Reading, Roots, fit, unfit, unknown
from .files import cpu_folder, first_threads, online_cpus, read

ID = "frequency"
TITLE = "One frequency"
WHY = "Between two frequencies heat and load choose, so the same program differs from trial to trial."
NEEDED_FOR: NeededFor = "lab"
SOURCE = "https://docs.kernel.org/admin-guide/pm/cpufreq.html"

# The base frequency is what a CPU can hold for hours; not every driver shows it.
COMMAND = (
    "sudo sh -c 'for c in /sys/devices/system/cpu/cpu*/cpufreq; do "
    "f=$(cat $c/base_frequency 2>/dev/null || cat $c/cpuinfo_max_freq); "
    "echo $f >$c/scaling_max_freq; echo $f >$c/scaling_min_freq; done'"
)
# Intel ends the names of older processors with the base frequency. Those that lack HWP show it nowhere else.
_IN_NAME = re.compile(r"^model name\s*:.*@ (\d+\.\d+)GHz$", re.MULTILINE)


def check(roots: Roots) -> Reading:
    """Read `cpufreq/scaling_min_freq` and `scaling_max_freq` (kHz) of every online CPU."""
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


def changes(roots: Roots) -> list[Change]:
    """Return the changes that make the frequency that all CPUs can hold both ends of every CPU's range."""
    folder = cpu_folder(roots)
    other_khz = _khz_in_name(roots)
    bases = {cpu: khz for cpu in first_threads(roots) if (khz := _base(folder / f"cpu{cpu}", other_khz)) is not None}
    ranges = {cpu: ends for cpu in bases if (ends := _range(folder / f"cpu{cpu}")) is not None}
    if not ranges:
        return []
    shared_khz = min(bases[cpu] for cpu in ranges)
    values: list[Change] = []
    for cpu, (_, high) in ranges.items():
        # The kernel refuses a lower end above the upper one, on the way there and on the way back.
        order = ("max", "min") if shared_khz > high else ("min", "max")
        values += [Value(folder / f"cpu{cpu}/cpufreq/scaling_{end}_freq", str(shared_khz)) for end in order]
    return values


def _range(folder: Path) -> tuple[int, int] | None:
    ends = [read(folder / f"cpufreq/scaling_{end}_freq") or "" for end in ("min", "max")]
    return (int(ends[0]), int(ends[1])) if all(end.isdigit() for end in ends) else None


def _base(folder: Path, other_khz: int | None) -> int | None:
    """Return the frequency that a CPU can hold for hours, in kHz, from intel_pstate with HWP or from cppc; else
    `other_khz`; else the CPU's highest one, but not from intel_pstate, where that is a turbo frequency.
    """
    names = {"cpufreq/base_frequency": 1, "acpi_cppc/nominal_freq": 1000}
    if other_khz is None and not (folder.parent / "intel_pstate").exists():
        names["cpufreq/cpuinfo_max_freq"] = 1
    for name, khz in names.items():
        text = read(folder / name) or ""
        if text.isdigit() and int(text):
            return int(text) * khz
    return other_khz


def _khz_in_name(roots: Roots) -> int | None:
    name = _IN_NAME.search(read(roots.proc / "cpuinfo") or "")
    return None if name is None else round(float(name[1]) * 1e6)
