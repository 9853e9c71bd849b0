"""Slices of a session, one for each role, whose CPUs nobody else on the host may use while the session lasts.

/sys/fs/cgroup/plumbline_0a1b2c_4711_app.slice/    right below the root, where a control group may become a partition
    cpuset.cpus            by systemd (AllowedCPUs)
    cpuset.cpus.partition  "root": the kernel takes these CPUs away from every other control group

The kernel still balances threads within such a partition, which a JVM needs; in an "isolated" partition it would not.
"""

from __future__ import annotations

import contextlib
import os
import sys
import time
from pathlib import Path

from . import systemd
from .units import MEASURED, slice_of

GROUPS = Path("/sys/fs/cgroup")
# The settings that set-property leaves there are removed with the slice.
_SETTINGS = Path("/run/systemd/system.control")
# A killed process may take a moment to end.
_ENDS_WITHIN_S = 10.0
_LOOK_S = 0.05


def take(place: str, cpus: dict[str, tuple[int, ...]]) -> None:
    """Make a partition of each set of CPUs that no other role shares.

    The second side of a comparison may share CPUs with the first: from then on neither side has partitions.
    """
    own_slices = [slice_of(place, role) for role in MEASURED]
    side_patterns = [slice_of(f"{place.rpartition('-')[0]}-*", role) for role in MEASURED]
    other_slices = [
        path.name for pattern in side_patterns for path in GROUPS.glob(pattern) if path.name not in own_slices
    ]
    for name in other_slices:
        _set_kind(name, "member")
    for role in () if other_slices else exclusive(cpus):
        name = slice_of(place, role)
        systemd.start_slice(name, cpus[role])
        kind = _set_kind(name, "root")
        if kind != "root":
            print(f"the CPUs of {role} are no partition of their own: {kind}", file=sys.stderr)


def give_back(place: str) -> list[str]:
    """End the slices of a place, of all places of a namespace, or all slices (`plumbline`), and their partitions.

    Returns the names of the slices in which something still runs.
    """
    names = {path.name for path in GROUPS.glob(slice_of(place, "*"))}
    for name in names:
        _set_kind(name, "member")
    # Settings outlive a slice that has ended already.
    names |= {path.name.removesuffix(".d") for path in _SETTINGS.glob(slice_of(place, "*") + ".d")}
    systemd.end_slices(sorted(names))
    return [name for name in sorted(names) if not _remove(GROUPS / name)]


def exclusive(cpus: dict[str, tuple[int, ...]]) -> list[str]:
    """Return the roles whose CPUs no other role has."""
    return [
        role
        for role in MEASURED
        if not any(set(cpus[role]) & set(other_cpus) for other_role, other_cpus in cpus.items() if other_role != role)
    ]


def _set_kind(name: str, kind: str) -> str:
    """Ask for a kind of partition; return what the kernel shows then, such as `root` or `root invalid (...)`."""
    path = GROUPS / name / "cpuset.cpus.partition"
    try:
        _write(path, kind)
        return path.read_text().strip()
    except OSError as error:
        return str(error.strerror)


def _remove(group: Path) -> bool:
    """End all processes in a control group, remove it and all groups below, and return whether it is gone.

    systemd forgets a unit that has ended, but leaves its group as long as one of its processes has not ended.
    """
    end_s = time.monotonic() + _ENDS_WITHIN_S
    while group.is_dir() and time.monotonic() < end_s:
        with contextlib.suppress(OSError):
            _write(group / "cgroup.kill", "1")
        with contextlib.suppress(OSError):
            for folder, _, _ in os.walk(group, topdown=False):
                os.rmdir(folder)
        time.sleep(_LOOK_S)
    return not group.is_dir()


def _write(path: Path, word: str) -> None:
    """Write a word to a file of the kernel; a missing file is never made. Raises OSError."""
    with open(os.open(path, os.O_WRONLY | os.O_TRUNC), "w", encoding="ascii") as file:
        file.write(word)
