"""Control groups of version 1: a cpuset for each role, and accounting groups in the other hierarchies."""

from __future__ import annotations

from pathlib import Path

from plumbline.measuring.place.groups import ControlGroups, disk_of, group_name, make, put, sweep, writable
from plumbline.measuring.place.interface import PLACED_ROLES, QUOTA_PERIOD_US, Account, PlacedRole
from plumbline.measuring.place.mounts import Hierarchy
from plumbline.model.host import Topology

ACCOUNTS: dict[str, Account] = {"cpuacct": "cpu", "memory": "memory", "blkio": "io"}


class Cgroup1(ControlGroups):
    """Groups below our own group in each usable hierarchy."""

    name = "cgroup1"

    def __init__(
        self,
        cpuset: Path,
        accounts: dict[Account, Path],
        topology: Topology,
        reason: str,
        quotas: Path | None = None,
    ) -> None:
        super().__init__(topology, reason)
        self._quotas = quotas
        self._limited: set[PlacedRole] = set()
        self._cpuset = cpuset
        self._accounts = accounts

    @classmethod
    def find(cls, hierarchies: tuple[Hierarchy, ...], topology: Topology) -> Cgroup1 | str:
        """Return the provider for this host, or why there is none."""
        cpuset = next((hierarchy for hierarchy in hierarchies if "cpuset" in hierarchy.controllers), None)
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
        reason = f"a cpuset of version 1 for each role; accounts for {', '.join(sorted(accounts)) or 'nothing'}"
        if foreign:
            # The service manager or container that made a group for us manages this group: it could neither
            # count nor end processes that we moved out of the group.
            reason += f"; {', '.join(foreign)} left alone, since our group there belongs to whoever started us"
        cpu = next((hierarchy for hierarchy in hierarchies if "cpu" in hierarchy.controllers), None)
        quotas = cpu.own if cpu is not None and cpu.own == cpu.mount and writable(cpu.own) else None
        return cls(cpuset.own, accounts, topology, reason, quotas)

    def accounting(self, role: PlacedRole) -> dict[Account, Path]:
        """Return the folders of cpuacct, memory and blkio, where they are ours to use; version 1 knows no pressure."""
        if role == "harness":
            return {}
        name = group_name(self._session, role)
        folders = {account: parent / name for account, parent in self._accounts.items()}
        return {**folders, "quota": self._quota_folder(role)} if role in self._limited else folders

    def cannot_limit(self) -> str | None:
        """Return the reason why a role can't be limited: the cpu controller is not mounted, or our group there belongs
        to somebody else.
        """
        if self._quotas is not None:
            return None
        return "The cpu controller of version 1 is not ours to use, so CPU time can't be limited."

    def limit(self, role: PlacedRole, cpus: float | None) -> None:
        """Limit a role by a group in the hierarchy of cpu, which is made for the first limit.

        Without a limit there is no such group: it would change how much of a shared CPU each role gets.
        """
        folder = self._quota_folder(role)
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
        return super().cannot_slow(folder)

    def slow(self, role: PlacedRole, folder: Path, writes_per_s: int | None) -> None:
        """Slow a role's writes by blkio.throttle of its group, where 0 is no limit. The limit also holds for
        writes through fsync.
        """
        limit = f"{disk_of(folder)} {writes_per_s or 0}"
        put(self.accounting(role)["io"] / "blkio.throttle.write_iops_device", limit)

    def groups(self) -> tuple[Path, ...]:
        """Return all folders that were made, and those that a limit may still make."""
        if self._quotas is None:
            return super().groups()
        quota_folders = (self._quota_folder(role) for role in PLACED_ROLES if role != "harness")
        return tuple(dict.fromkeys((*self._made_folders, *quota_folders)))

    def sweep(self, alive: frozenset[str]) -> tuple[Path, ...]:
        """Remove the groups of dead sessions in every hierarchy."""
        parents = (self._cpuset, *self._accounts.values(), *([] if self._quotas is None else [self._quotas]))
        return sweep(dict.fromkeys(parents), alive)

    def _quota_folder(self, role: PlacedRole) -> Path:
        assert self._quotas is not None, "cannot_limit() says why"
        return self._quotas / group_name(self._session, role)

    def _folders(self, role: PlacedRole) -> tuple[Path, ...]:
        if role == "harness":
            return ()
        cpuset_group = self._cpuset / group_name(self._session, role)
        return tuple(dict.fromkeys((cpuset_group, *self.accounting(role).values())))

    def _nodes_file(self) -> Path:
        return self._cpuset / "cpuset.mems"
