"""Control groups of version 1: a cpuset for each role, and accounting groups in the other hierarchies."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from plumbline.host.kernel import format_cpulist, parse_cpulist
from plumbline.model.host import CpuSets, Topology
from plumbline.place.groups import group_name, make, put, remove, sweep, writable
from plumbline.place.interface import PLACED_ROLES, QUOTA_PERIOD_US, Account, ChildSetup, PlacedRole, cpus_of
from plumbline.place.mounts import Hierarchy
from ..groups import NO_DISK, disk_of

ACCOUNTS: dict[str, Account] = {"cpuacct": "cpu", "memory": "memory", "blkio": "io"}


class Cgroup1:
    """Groups `plumbline.<session>.<role>` below our own group in each usable hierarchy.

    The harness has a set but no group: it would have to leave it before the group could be removed.
    """

    name: Literal["cgroup1"] = "cgroup1"

    def __init__(
        self,
        cpuset: Path,
        accounts: dict[Account, Path],
        topology: Topology,
        reason: str,
        quotas: Path | None = None,
    ) -> None:
        self.reason = reason
        self._quotas = quotas
        self._limited: set[PlacedRole] = set()
        self._cpuset = cpuset
        self._accounts = accounts
        self._topology = topology
        self._session = ""
        self._sets: CpuSets | None = None
        self._made: list[Path] = []

    @classmethod
    def find(cls, hierarchies: tuple[Hierarchy, ...], topology: Topology) -> Cgroup1 | str:
        """Return the provider for this host, or why there is none."""
        cpuset = next((h for h in hierarchies if "cpuset" in h.controllers), None)
        if cpuset is None:
            return "version 1 has no cpuset hierarchy mounted"
        if not writable(cpuset.own):
            return f"no right to make groups in {cpuset.own}"
        accounts: dict[Account, Path] = {}
        foreign: list[str] = []
        for hierarchy in hierarchies:
            for controller in sorted(hierarchy.controllers & ACCOUNTS.keys()):
                if not writable(hierarchy.own):
                    continue
                if hierarchy.own != hierarchy.mount:
                    foreign.append(controller)
                else:
                    accounts[ACCOUNTS[controller]] = hierarchy.own
        reason = (
            f"a cpuset of version 1 for each role; accounts for {', '.join(sorted(accounts)) or 'nothing'}"
        )
        if foreign:
            # A group that a service manager or container made for us is its to manage: processes moved out of
            # its sight could not be counted or ended by it.
            reason += (
                f"; {', '.join(foreign)} left alone, since our group there belongs to whoever started us"
            )
        cpu = next((h for h in hierarchies if "cpu" in h.controllers), None)
        quotas = cpu.own if cpu is not None and cpu.own == cpu.mount and writable(cpu.own) else None
        return cls(cpuset.own, accounts, topology, reason, quotas)

    def prepare(self, session: str, sets: CpuSets) -> None:
        """Make a cpuset and the accounting groups for application, database and load."""
        self._session, self._sets = session, sets
        for role in PLACED_ROLES:
            for folder in self._folders(role):
                make(folder)
                self._made.append(folder)
            if role != "harness":
                cpus = cpus_of(sets, role)
                put(self._set(role) / "cpuset.cpus", format_cpulist(cpus))
                put(self._set(role) / "cpuset.mems", format_cpulist(self._memory_nodes(cpus)))

    def entry(self, role: PlacedRole) -> ChildSetup:
        """Return the groups to enter in every hierarchy, and the CPUs."""
        assert self._sets is not None, "prepare() comes first"
        files = tuple(folder / "cgroup.procs" for folder in self._folders(role))
        return ChildSetup(files=files, cpus=cpus_of(self._sets, role))

    def accounting(self, role: PlacedRole) -> dict[Account, Path]:
        """Return folders of cpuacct, memory and blkio, where ours to use; version 1 knows no pressure."""
        if role == "harness":
            return {}
        name = group_name(self._session, role)
        found = {account: parent / name for account, parent in self._accounts.items()}
        return {**found, "quota": self._quota(role)} if role in self._limited else found

    def cannot_limit(self) -> str | None:
        """Return the reason why a role can't be limited: the cpu controller is not mounted, or our group there belongs
        to somebody else.
        """
        if self._quotas is not None:
            return None
        return "The cpu controller of version 1 is not ours to use, so CPU time can't be limited."

    def limit(self, role: PlacedRole, cpus: float | None) -> None:
        """Limit a role by a group in the hierarchy of cpu, which is made when it is first asked for.

        It is not there otherwise: a group of its own would change who gets how much of a CPU that roles share.
        """
        folder = self._quota(role)
        make(folder)
        put(folder / "cpu.cfs_period_us", str(QUOTA_PERIOD_US))
        put(folder / "cpu.cfs_quota_us", "-1" if cpus is None else str(round(cpus * QUOTA_PERIOD_US)))
        if cpus is None:
            self._limited.discard(role)
        else:
            self._limited.add(role)

    def cannot_slow(self, folder: Path) -> str | None:
        """Return the reason why a role's writes can't be slowed: blkio is not ours to use, or the folder lies on no
        disk.
        """
        if "io" not in self._accounts:
            return "The blkio controller of version 1 is not ours to use, so writes can't be slowed."
        return None if disk_of(folder) is not None else NO_DISK.format(folder=folder)

    def slow(self, role: PlacedRole, folder: Path, writes_per_s: int | None) -> None:
        """Slow a role's writes by blkio.throttle of its group, where 0 is no limit. It holds what is written through
        (fsync) too.
        """
        limit = f"{disk_of(folder)} {writes_per_s or 0}"
        put(self.accounting(role)["io"] / "blkio.throttle.write_iops_device", limit)

    def groups(self) -> tuple[Path, ...]:
        """Return all folders that were made, and those that a limit may still make."""
        if self._quotas is None:
            return tuple(self._made)
        mays = (self._quota(role) for role in PLACED_ROLES if role != "harness")
        return tuple(dict.fromkeys((*self._made, *mays)))

    def close(self) -> None:
        """Remove them."""
        remove(self.groups())

    def sweep(self, alive: frozenset[str]) -> tuple[Path, ...]:
        """Remove the groups of dead sessions in every hierarchy."""
        parents = (self._cpuset, *self._accounts.values(), *([] if self._quotas is None else [self._quotas]))
        return sweep(dict.fromkeys(parents), alive)

    def _set(self, role: PlacedRole) -> Path:
        return self._cpuset / group_name(self._session, role)

    def _quota(self, role: PlacedRole) -> Path:
        assert self._quotas is not None, "cannot_limit() says why"
        return self._quotas / group_name(self._session, role)

    def _folders(self, role: PlacedRole) -> tuple[Path, ...]:
        if role == "harness":
            return ()
        return tuple(dict.fromkeys((self._set(role), *self.accounting(role).values())))

    def _memory_nodes(self, cpus: tuple[int, ...]) -> tuple[int, ...]:
        """Return the nodes of the CPUs that have memory; a node without any borrows from all."""
        available = parse_cpulist((self._cpuset / "cpuset.mems").read_text())
        nodes = {cpu.node for cpu in self._topology.cpus if cpu.number in cpus}
        return tuple(node for node in available if node in nodes) or available
