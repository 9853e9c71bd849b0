"""One thread a core."""

from __future__ import annotations

from .face import NeededFor, Reading, Roots, fit, unfit, unknown
from .files import cpu_folder, read

ID = "smt"
TITLE = "SMT off"
WHY = (
    "Two threads of a core share its units, so a CPU's speed depends on what its sibling does at the moment."
)
NEEDED_FOR: NeededFor = "lab"

COMMAND = "echo off | sudo tee /sys/devices/system/cpu/smt/control"


def check(roots: Roots) -> Reading:
    """From `smt/active`, which counts the siblings that are online."""
    folder = cpu_folder(roots) / "smt"
    active = read(folder / "active")
    if active not in ("0", "1"):
        return unknown("whether cores have siblings online is not shown (smt/active)")
    control = read(folder / "control") or "not shown"
    if active == "1":
        return unfit(f"siblings are online (control: {control})", COMMAND)
    return fit(f"no sibling is online (control: {control})")
