"""The condition that addresses are drawn anew for every process."""

from __future__ import annotations

from .changes import Change, Value
from .face import NeededFor, Reading, Roots, fit, unfit, unknown
from .files import read

ID = "aslr"
TITLE = "Address space randomised (ASLR)"
WHY = "With fixed addresses every process has the same lucky or unlucky layout, which repeating can't average out."
NEEDED_FOR: NeededFor = "lab"
SOURCE = "https://docs.kernel.org/admin-guide/sysctl/kernel.html#randomize-va-space"

# The value that randomises stack, libraries and heap.
FULL = "2"
COMMAND = "sudo sysctl -w kernel.randomize_va_space=2"


def check(roots: Roots) -> Reading:
    """Read kernel.randomize_va_space: 2 is full, 1 leaves the heap out, 0 is off."""
    value = read(roots.proc / "sys/kernel/randomize_va_space")
    if not value:
        return unknown("not shown (kernel.randomize_va_space)")
    return fit("full") if value == FULL else unfit(f"kernel.randomize_va_space is {value}", COMMAND)


def changes(roots: Roots) -> list[Change]:
    """Return the change to full randomisation."""
    path = roots.proc / "sys/kernel/randomize_va_space"
    return [Value(path, FULL)] if read(path) else []
