"""Chooses the best provider that this host allows, and says why."""

from __future__ import annotations

from pathlib import Path

from plumbline.measuring.place.interface import Placement
from plumbline.measuring.place.mounts import Hierarchy, read_hierarchies
from plumbline.measuring.place.providers.cgroup1 import Cgroup1
from plumbline.measuring.place.providers.cgroup2 import Cgroup2
from plumbline.measuring.place.providers.taskset import Taskset
from plumbline.model.errors import UsageError
from plumbline.model.host import Topology

_ROOT_WOULD_ADD = (
    "root (or a delegated control group) would add sets that no process can leave, and memory, CPU and "
    "pressure counted for each role"
)


def choose_placement(proc: Path, topology: Topology, *, is_root: bool, wanted: str = "auto") -> Placement:
    """Choose the best of cgroup v2, cgroup v1 and taskset that works here. Changes nothing; `prepare` does.

    `wanted` names one of the three to take instead. Raises UsageError when that provider does not work here.
    """
    hierarchies = read_hierarchies(proc)
    if wanted != "auto":
        return _placement_named(wanted, hierarchies, topology)
    version_2 = Cgroup2.find(hierarchies, topology)
    if isinstance(version_2, Cgroup2):
        return version_2
    version_1 = Cgroup1.find(hierarchies, topology)
    if isinstance(version_1, Cgroup1):
        version_1.reason += f" ({version_2})"
        return version_1
    reason = f"affinity alone: {version_2}; {version_1}"
    return Taskset(reason if is_root else f"{reason}; {_ROOT_WOULD_ADD}")


def _placement_named(name: str, hierarchies: tuple[Hierarchy, ...], topology: Topology) -> Placement:
    provider: Placement | str
    match name:
        case "cgroup2":
            provider = Cgroup2.find(hierarchies, topology)
        case "cgroup1":
            provider = Cgroup1.find(hierarchies, topology)
        case _:
            return Taskset("affinity alone, as bench.toml says")
    if isinstance(provider, str):
        raise UsageError(
            f"bench.toml asks for the placement {name} on this host, which is not possible: {provider}.",
            'Say placement = "auto", or run as a user who may make control groups.',
        )
    return provider
