"""The condition that services of the system stay on the housekeeping CPUs."""

from __future__ import annotations

from .changes import RELOAD, Change, File
from .face import NeededFor, Reading, Roots, fit, not_applicable, unfit, unknown
from .files import format_cpus, online_cpus, read

ID = "system-slice"
TITLE = "Services of the system on the housekeeping CPUs"
WHY = "A daemon that wakes up on the application's CPU takes it away, and pushes its data out of the cache."
NEEDED_FOR: NeededFor = "extra"
SOURCE = "https://manpages.debian.org/systemd.resource-control"

NAME = "systemd/system/system.slice.d/50-plumbline-host.conf"


def check(roots: Roots) -> Reading:
    """Read the CPUs that the control group `system.slice` may use. Only reported: rule R18 asks who used which CPU."""
    group = roots.sys / "fs/cgroup/system.slice"
    if not (roots.sys / "fs/cgroup").is_dir():
        return unknown("control groups are not shown (/sys/fs/cgroup)")
    if not (roots.sys / "fs/cgroup/cgroup.controllers").exists():
        return not_applicable("control groups of version 2 are not mounted here")
    cpus = read(group / "cpuset.cpus.effective")
    if not cpus or not roots.app_cpus:
        return unknown("the CPUs of system.slice are not shown")
    shared = set(online_cpus(cpus)) & set(roots.app_cpus)
    if shared:
        return unfit(f"may use {format_cpus(shared)}", "sudo bench-host apply --only system-slice")
    return fit(f"only CPUs {cpus}")


def changes(roots: Roots) -> list[Change]:
    """Return a setting of the slice; sessions under the launcher have slices of their own."""
    if not roots.housekeeping or not (roots.sys / "fs/cgroup/cgroup.controllers").exists():
        return []
    text = f"[Slice]\nAllowedCPUs={format_cpus(roots.housekeeping)}\n"
    return [File(roots.etc / NAME, text, then=RELOAD)]
