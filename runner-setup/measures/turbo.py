"""The condition that no CPU runs above its base frequency."""

from __future__ import annotations

from . import kernel_line
from .changes import Change, Value
from .face import NeededFor, Reading, Roots, fit, unfit, unknown
from .files import cpu_folder, read

ID = "turbo"
TITLE = "Turbo off"
WHY = "Turbo gives each core what heat and neighbours leave over, so the same program differs from minute to minute."
NEEDED_FOR: NeededFor = "lab"
SOURCE = "https://docs.kernel.org/admin-guide/pm/intel_pstate.html#no-turbo-attr"

# File below /sys/devices/system/cpu -> what it holds when turbo is off. Only the driver in use shows its own file.
SWITCHES = {"intel_pstate/no_turbo": "1", "cpufreq/boost": "0"}


def check(roots: Roots) -> Reading:
    """Read the switch of intel_pstate, or of cpufreq, which acpi-cpufreq and amd_pstate use."""
    folder = cpu_folder(roots)
    for name, off in SWITCHES.items():
        value = read(folder / name)
        if value is None:
            continue
        if value == off:
            return fit(f"{name} is {value}")
        return unfit(f"{name} is {value}", f"echo {off} | sudo tee {folder / name}")
    if kernel_line.needs_passive_driver(roots):
        return unknown(*kernel_line.advised(roots, "amd_pstate (active) shows no switch of boost"))
    return unknown("no switch of turbo is shown, as in most virtual machines")


def changes(roots: Roots) -> list[Change]:
    """Return the change that switches off what the driver in use shows."""
    folder = cpu_folder(roots)
    return [Value(folder / name, off) for name, off in SWITCHES.items() if read(folder / name) is not None]
