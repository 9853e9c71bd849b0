"""The condition that the energy counter can be read."""

from __future__ import annotations

from .changes import by_hand
from .face import NeededFor, Reading, Roots, fit, not_applicable, unknown
from .files import read

ID = "energy"
TITLE = "Energy counter (RAPL) readable"
WHY = "Without it a record says nothing of energy; all other figures stand without it."
NEEDED_FOR: NeededFor = "extra"
SOURCE = "https://docs.kernel.org/power/powercap/powercap.html"

changes = by_hand

COMMAND = "sudo chmod a+r /sys/class/powercap/intel-rapl:*/energy_uj"


def check(roots: Roots) -> Reading:
    """Read the package's energy_uj, which kernels since 2020 show to root alone. Energy is an extra: never `unfit`."""
    classes = roots.sys / "class"
    if not classes.is_dir():
        return unknown("not shown (/sys/class/powercap)")
    counters = sorted((classes / "powercap").glob("intel-rapl:[0-9]*/energy_uj"))
    if not counters:
        return not_applicable("this host has no counter of energy")
    if any(read(counter) is None for counter in counters):
        return not_applicable("root alone may read it, so records carry no energy", COMMAND)
    return fit(f"{len(counters)} {'counter' if len(counters) == 1 else 'counters'}")
