"""The condition that only programs that ask for huge pages get them."""

from __future__ import annotations

import re

from .changes import Change, Value
from .face import NeededFor, Reading, Roots, fit, not_applicable, unfit, unknown
from .files import lacks, read

ID = "thp"
TITLE = "Huge pages only for those who ask"
WHY = "With `always` the kernel hands out and collects huge pages as memory allows, so equal runs get unequal memory."
NEEDED_FOR: NeededFor = "lab"
SOURCE = "https://docs.kernel.org/admin-guide/mm/transhuge.html"

WANTED = "madvise"
COMMAND = "echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled"


def check(roots: Roots) -> Reading:
    """Read the word in brackets of `always [madvise] never`."""
    if lacks(roots.sys / "kernel/mm/transparent_hugepage"):
        return not_applicable("this kernel has none")
    match = re.search(r"\[(\w+)\]", read(roots.sys / "kernel/mm/transparent_hugepage/enabled") or "")
    if match is None:
        return unknown("how huge pages are given is not shown (transparent_hugepage/enabled)")
    return fit(match[1]) if match[1] == WANTED else unfit(match[1], COMMAND)


def changes(roots: Roots) -> list[Change]:
    """Return the change to `madvise`."""
    path = roots.sys / "kernel/mm/transparent_hugepage/enabled"
    return [Value(path, WANTED)] if WANTED in re.findall(r"\w+", read(path) or "") else []
