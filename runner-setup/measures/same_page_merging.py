"""The condition that the kernel does not look for equal pages."""

from __future__ import annotations

from .changes import Change, Value
from .face import NeededFor, Reading, Roots, fit, not_applicable, unfit, unknown
from .files import lacks, read

ID = "ksm"
TITLE = "Same-page merging (KSM) off"
WHY = "Its thread scans memory all the time, and a merged page costs a copy when it is next written."
NEEDED_FOR: NeededFor = "lab"
SOURCE = "https://docs.kernel.org/admin-guide/mm/ksm.html"

# 2 stops the merging and gives every merged page its own copy back; 0 alone would leave them merged.
COMMAND = "echo 2 | sudo tee /sys/kernel/mm/ksm/run"
STOPPED = {"0": "off", "2": "off, nothing merged"}


def check(roots: Roots) -> Reading:
    """Read ksm/run: 1 scans, 0 and 2 do not."""
    if lacks(roots.sys / "kernel/mm/ksm"):
        return not_applicable("this kernel merges no pages")
    value = read(roots.sys / "kernel/mm/ksm/run")
    if not value:
        return unknown("not shown (ksm/run)")
    return fit(STOPPED[value]) if value in STOPPED else unfit(f"on (ksm/run is {value})", COMMAND)


def changes(roots: Roots) -> list[Change]:
    """Return the change that stops the merging and gives every merged page its own copy back."""
    path = roots.sys / "kernel/mm/ksm/run"
    value = read(path)
    return [Value(path, value if value in STOPPED else "2")] if value else []
