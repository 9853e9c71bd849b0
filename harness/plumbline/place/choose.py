"""Which provider this host allows, and why."""

from __future__ import annotations

from pathlib import Path

from plumbline.model.host import Topology
from plumbline.place.face import Placement
from plumbline.place.mounts import read_hierarchies
from plumbline.place.providers.cgroup1 import Cgroup1
from plumbline.place.providers.cgroup2 import Cgroup2
from plumbline.place.providers.taskset import Taskset

_ROOT_WOULD_ADD = (
    "root (or a delegated control group) would add sets that no process can leave, and memory, CPU and "
    "pressure counted for each role"
)


def choose_placement(proc: Path, topology: Topology, *, is_root: bool) -> Placement:
    """The best of cgroup v2, cgroup v1 and taskset that works here. Changes nothing; `prepare` does."""
    hierarchies = read_hierarchies(proc)
    second = Cgroup2.find(hierarchies, topology)
    if isinstance(second, Cgroup2):
        return second
    first = Cgroup1.find(hierarchies, topology)
    if isinstance(first, Cgroup1):
        first.reason += f" ({second})"
        return first
    reason = f"affinity alone: {second}; {first}"
    return Taskset(reason if is_root else f"{reason}; {_ROOT_WOULD_ADD}")
