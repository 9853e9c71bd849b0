"""Control groups of version 2: one group for each role with its cpuset and all accounts."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from plumbline.measuring.place.groups import (
    ControlGroups,
    accounts_in,
    disk_of,
    group_name,
    put,
    sweep,
    writable,
)
from plumbline.measuring.place.interface import QUOTA_PERIOD_US, Account, PlacedRole
from plumbline.measuring.place.mounts import Hierarchy
from plumbline.model.errors import CannotGoOn
from plumbline.model.host import CpuSets, Topology

# `cpu` is enabled for the throttling in cpu.stat, the others for their accounts; without these controllers the
# cpuset still holds.
_OPTIONAL_CONTROLLERS = ("cpu", "memory", "io")


class Cgroup2(ControlGroups):
    """Groups below the nearest group where a cpuset may be given to children.

    A controller that had to be enabled there stays enabled: it changes nothing for groups that set nothing.
    """

    name = "cgroup2"

    def __init__(self, parent: Path, topology: Topology, reason: str) -> None:
        super().__init__(topology, reason)
        self._parent = parent

    @classmethod
    def find(cls, hierarchies: tuple[Hierarchy, ...], topology: Topology) -> Cgroup2 | str:
        """Return the provider for this host, or why there is none."""
        unified = next((hierarchy for hierarchy in hierarchies if hierarchy.version == 2), None)
        if unified is None:
            return "version 2 is not mounted"
        if "cpuset" not in _words(unified.mount / "cgroup.controllers"):
            return "version 2 has no cpuset controller here"
        for parent in unified.parents():
            if _can_hold_groups(parent, is_mount=parent == unified.mount):
                return cls(parent, topology, f"cgroup v2 below {parent}: cpuset and accounts for each role")
        return f"no group from {unified.own} up lets us give a cpuset to children"

    def prepare(self, session: str, sets: CpuSets) -> None:
        """Enable the controllers, and make a group for application, database and load."""
        enabled = _words(self._parent / "cgroup.subtree_control")
        available = _words(self._parent / "cgroup.controllers")
        control = self._parent / "cgroup.subtree_control"
        if "cpuset" not in enabled:
            put(control, "+cpuset")
        for controller in _OPTIONAL_CONTROLLERS:
            if controller in available and controller not in enabled:
                # A kernel with real-time groups may refuse `cpu`; one account less is no reason to stop.
                with contextlib.suppress(CannotGoOn):
                    put(control, f"+{controller}")
        super().prepare(session, sets)

    def accounting(self, role: PlacedRole) -> dict[Account, Path]:
        """Return the role's group under each account whose file the group has."""
        return {} if role == "harness" else accounts_in(self._folder(role))

    def cannot_limit(self) -> str | None:
        """Return the reason why a role can't be limited: the cpu controller is missing."""
        if "cpu" in _words(self._parent / "cgroup.controllers"):
            return None
        return f"The control groups below {self._parent} have no cpu controller, so CPU time can't be limited."

    def limit(self, role: PlacedRole, cpus: float | None) -> None:
        """Limit a role by cpu.max of its group."""
        quota = "max" if cpus is None else str(round(cpus * QUOTA_PERIOD_US))
        put(self._folder(role) / "cpu.max", f"{quota} {QUOTA_PERIOD_US}")

    def cannot_slow(self, folder: Path) -> str | None:
        """Return the reason why a role's writes can't be slowed: the io controller is missing, or the folder lies on no
        disk.
        """
        if "io" not in _words(self._parent / "cgroup.controllers"):
            return f"The control groups below {self._parent} have no io controller, so writes can't be slowed."
        return super().cannot_slow(folder)

    def slow(self, role: PlacedRole, folder: Path, writes_per_s: int | None) -> None:
        """Slow a role's writes by io.max of its group."""
        put(self._folder(role) / "io.max", f"{disk_of(folder)} wiops={writes_per_s or 'max'}")

    def sweep(self, alive: frozenset[str]) -> tuple[Path, ...]:
        """Remove the groups of dead sessions."""
        return sweep((self._parent,), alive)

    def _folder(self, role: PlacedRole) -> Path:
        return self._parent / group_name(self._session, role)

    def _folders(self, role: PlacedRole) -> tuple[Path, ...]:
        return () if role == "harness" else (self._folder(role),)

    def _nodes_file(self) -> Path:
        return self._parent / "cpuset.mems.effective"


def _can_hold_groups(parent: Path, *, is_mount: bool) -> bool:
    """Return whether we may make groups with a cpuset below `parent`, and move our processes into them.

    To move a process takes the right to write `cgroup.procs` of the group above both places, which is `parent`. Only
    the root may hold processes and hand controllers to children at once.
    """
    if not writable(parent, "cgroup.procs") or "cpuset" not in _words(parent / "cgroup.controllers"):
        return False
    if "cpuset" in _words(parent / "cgroup.subtree_control"):
        return True
    if not os.access(parent / "cgroup.subtree_control", os.W_OK):
        return False
    # The root of a namespace is not the root of the hierarchy: only the latter has no cgroup.type.
    is_root = is_mount and not (parent / "cgroup.type").exists()
    return is_root or not _words(parent / "cgroup.procs")


def _words(file: Path) -> tuple[str, ...]:
    try:
        return tuple(file.read_text().split())
    except OSError:
        return ()
