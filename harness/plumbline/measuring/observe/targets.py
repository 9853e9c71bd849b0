"""The targets of samplers: processes, CPUs, cgroups, the database, k6 and the JVM of one trial; and where /proc is."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from plumbline.measuring.place.interface import Account, PlacedRole, cpus_of
from plumbline.measuring.services.interface import DatabaseTarget
from plumbline.model.host import CpuSets
from .hsperfdata import read_counters
from .open_file import read_once

# Roles to which the descendants of their processes belong. The harness starts all other processes, so of its role
# only the named processes count.
ROLES_WITH_DESCENDANTS: tuple[PlacedRole, ...] = ("app", "db", "load")


@dataclass(frozen=True)
class Targets:
    """The targets of all samplers. Parts appear and vanish during a trial; an absent part reads as None.

    `pids` are the root processes of each role: the JVM, the postmaster, k6, the harness and its supervisor.
    `cgroups` are the control groups of a role, each by the folders whose files count (as placement hands them out): one
    on a host, one for each container in a cluster. `above` are groups around them, whose quotas hold as well: those of
    pods; on a host those around any role stand under `harness`. `data_folder` lies on the device whose writes are
    counted; without it those of all whole disks are. `results` has a line a batch, where the application makes its own
    load and no k6 does.
    """

    sets: CpuSets
    pids: Mapping[PlacedRole, tuple[int, ...]] = field(default_factory=dict)
    cgroups: Mapping[PlacedRole, tuple[Mapping[Account, Path], ...]] = field(default_factory=dict)
    above: Mapping[PlacedRole, tuple[Mapping[Account, Path], ...]] = field(default_factory=dict)
    database: DatabaseTarget | None = None
    load_addresses: tuple[str, ...] = ()
    hsperfdata: Path | None = None
    data_folder: Path | None = None
    results: Path | None = None

    def roots_of(self, role: PlacedRole) -> tuple[int, ...]:
        """Return the root pids of a role; empty while it has none."""
        return self.pids.get(role, ())

    def cgroups_of(self, role: PlacedRole) -> tuple[Mapping[Account, Path], ...]:
        """Return the cgroups of a role; empty where placement made none, and where none is there now."""
        return self.cgroups.get(role, ())

    def quotas_of(self, role: PlacedRole) -> tuple[Mapping[Account, Path], ...]:
        """Return the cgroups whose quotas can stop a role."""
        return (*self.cgroups_of(role), *self.above.get(role, ()))

    def set_of(self, role: PlacedRole) -> tuple[int, ...]:
        """Return the CPUs of a role."""
        return cpus_of(self.sets, role)


@dataclass(frozen=True)
class Roots:
    """The mount points of procfs and sysfs.

    Where processes belong to other users, a service may do two things for us: `read_privileged` reads a file of
    /proc/PID, or a JVM's counters (`hsperfdata`), and `run_beside` runs a program as the user of a process and returns
    its output, None if it failed.
    """

    proc: Path = Path("/proc")
    sys: Path = Path("/sys")
    read_privileged: Callable[[int, str], bytes | None] | None = None
    run_beside: Callable[[int, Sequence[str]], str | None] | None = None

    def of_process(self, pid: int, name: str) -> bytes | None:
        """Return a file of /proc/PID that is read now and then; None when the process is gone, or not ours to read."""
        content = read_once(self.proc / str(pid) / name)
        return content if content is not None or self.read_privileged is None else self.read_privileged(pid, name)

    def jvm_counters(self, targets: Targets) -> bytes | None:
        """Return what the file of the application's JVM counters has now; None where there is none."""
        content = None if targets.hsperfdata is None else read_counters(targets.hsperfdata)
        if content is None and self.read_privileged is not None and (pids := targets.roots_of("app")):
            return self.read_privileged(pids[0], "hsperfdata")
        return content
