"""The condition that control groups can keep processes on their CPUs."""

from __future__ import annotations

from .changes import by_hand
from .face import NeededFor, Reading, Roots, fit, unfit, unknown
from .files import read

ID = "cpusets"
TITLE = "Sets of CPUs by control groups"
WHY = "Without them a process is only asked to stay on its CPUs, and CPU, memory and pressure are not counted by role."
NEEDED_FOR: NeededFor = "lab"
SOURCE = "https://docs.kernel.org/admin-guide/cgroup-v2.html#cpuset"

changes = by_hand


def check(roots: Roots) -> Reading:
    """Read the controllers of version 2 (also when it lies beside version 1), else version 1's own hierarchy."""
    mount = roots.sys / "fs/cgroup"
    controllers = [read(mount / place / "cgroup.controllers") for place in ("", "unified")]
    if any("cpuset" in (text or "").split() for text in controllers):
        return fit("version 2 offers cpuset")
    if read(mount / "cpuset/cpuset.cpus"):
        return fit("version 1 offers cpuset")
    if controllers == [None, None]:
        return unknown("control groups are not shown (/sys/fs/cgroup)")
    return unfit("neither version offers cpuset: boot a kernel with it, or without cgroup_disable", None)
