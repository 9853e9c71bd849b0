"""The condition that each core runs one thread."""

from __future__ import annotations

from .changes import Change, Value
from .face import NeededFor, Reading, Roots, fit, unfit, unknown
from .files import cpu_folder, online_cpus, parse_cpus, read

ID = "smt"
TITLE = "SMT off"
WHY = "Two threads of a core share its units, so a CPU's speed depends on what its sibling does at the moment."
NEEDED_FOR: NeededFor = "lab"
SOURCE = "https://docs.kernel.org/core-api/cpu_hotplug.html"

COMMAND = "echo off | sudo tee /sys/devices/system/cpu/smt/control"


def check(roots: Roots) -> Reading:
    """Read `smt/active`, which counts the siblings that are online; without such a file, read the cores."""
    folder = cpu_folder(roots) / "smt"
    active = read(folder / "active")
    if active not in ("0", "1"):
        siblings = [
            read(folder.parent / f"cpu{cpu}/topology/thread_siblings_list")
            for cpu in online_cpus(read(folder.parent / "online"))
        ]
        if siblings and all(text is not None and len(parse_cpus(text)) == 1 for text in siblings):
            return fit("no core has a second thread")
        return unknown("whether cores have siblings online is not shown (smt/active)")
    control = read(folder / "control") or "not shown"
    if active == "1":
        return unfit(f"siblings are online (control: {control})", COMMAND)
    return fit(f"no sibling is online (control: {control})")


def changes(roots: Roots) -> list[Change]:
    """Return the change to `off`, if the kernel lets SMT be switched."""
    control = cpu_folder(roots) / "smt/control"
    return [Value(control, "off")] if read(control) in ("on", "off") else []
