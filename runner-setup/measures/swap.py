"""No swap."""

from __future__ import annotations

from .face import NeededFor, Reading, Roots, fit, unfit, unknown
from .files import read

ID = "swap"
TITLE = "Swap off"
WHY = "A page of the heap or the database that lies on disk turns one request into milliseconds of waiting."
NEEDED_FOR: NeededFor = "lab"

COMMAND = "sudo swapoff --all"


def check(roots: Roots) -> Reading:
    """From /proc/swaps: a heading, then a line for each area."""
    table = read(roots.proc / "swaps")
    if not table:
        return unknown("whether swap is on is not shown (/proc/swaps)")
    areas = [line.split()[0] for line in table.splitlines()[1:]]
    return unfit(f"on: {', '.join(areas)}", COMMAND) if areas else fit("off")
