"""The condition that the machine is no guest of a hypervisor."""

from __future__ import annotations

from .changes import by_hand
from .face import NeededFor, Reading, Roots, fit, unfit, unknown
from .files import read

ID = "hypervisor"
TITLE = "No hypervisor"
WHY = "A hypervisor gives the CPUs to others at moments that no guest sees, so noise has causes that nobody can name."
NEEDED_FOR: NeededFor = "lab"
SOURCE = 'docs/method.md, "The referee": rule R21'

changes = by_hand


def check(roots: Roots) -> Reading:
    """Read the CPU's flags on x86; on Arm only the presence of a hypervisor can be seen."""
    text = read(roots.proc / "cpuinfo")
    if not text:
        return unknown("not shown (/proc/cpuinfo)")
    for line in text.splitlines():
        name, _, value = line.partition(":")
        if name.strip() == "flags":
            if "hypervisor" in value.split():
                return unfit("a virtual machine: measure on bare metal", None)
            return fit("bare metal")
    if (roots.sys / "hypervisor/type").exists() or (roots.proc / "device-tree/hypervisor").exists():
        return unfit("a virtual machine: measure on bare metal", None)
    return unknown("this CPU does not say whether it is a virtual one")
