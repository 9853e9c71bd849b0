"""The condition that all CPUs run the same microcode."""

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
    """Read /proc/cpuinfo, which shows it on x86 alone. Only reported: the record names it, and rule R35 asks for it."""
    lines = (read(roots.proc / "cpuinfo") or "").splitlines()
    versions = sorted({line.partition(":")[2].strip() for line in lines if line.startswith("microcode")})
    if not versions:
        return unknown("not shown (/proc/cpuinfo)")
    if len(versions) > 1:
        return unfit(f"{' and '.join(versions)}: boot again, so that all CPUs load the same", None)
    return fit(versions[0])
