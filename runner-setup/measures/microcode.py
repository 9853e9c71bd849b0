"""All CPUs run the same microcode."""

from __future__ import annotations

from .changes import by_hand
from .face import NeededFor, Reading, Roots, fit, unfit, unknown
from .files import read

ID = "microcode"
TITLE = "One microcode on all CPUs"
WHY = "Microcode changes what an instruction costs; where it differs or is not known, a step in a series has no name."
NEEDED_FOR: NeededFor = "extra"
SOURCE = "https://docs.kernel.org/arch/x86/microcode.html"

changes = by_hand


def check(roots: Roots) -> Reading:
    """From /proc/cpuinfo, which shows it on x86 alone. Only told: the record names it, and rule R35 asks for it."""
    lines = (read(roots.proc / "cpuinfo") or "").splitlines()
    found = sorted({line.partition(":")[2].strip() for line in lines if line.startswith("microcode")})
    if not found:
        return unknown("not shown (/proc/cpuinfo)")
    if len(found) > 1:
        return unfit(f"{' and '.join(found)}: boot again, so that all CPUs load the same", None)
    return fit(found[0])
