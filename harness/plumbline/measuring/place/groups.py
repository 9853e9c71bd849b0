"""The part that both versions of control groups share: a group for each role, with the role's CPUs and accounts."""

from __future__ import annotations

import contextlib
import os
import time
from abc import abstractmethod
from collections.abc import Iterable
from pathlib import Path

from plumbline.machine.host.kernel import format_cpulist, parse_cpulist
from plumbline.model.errors import CannotGoOn
from plumbline.model.host import CpuSets, Topology
from .interface import PLACED_ROLES, Account, PlacedRole, Placement, cpus_of

PREFIX = "plumbline."

# The kernel lets go of a group a moment after its last process was reaped.
REMOVE_WITHIN_S = 2.0

# The accounts of a group of version 2, each with a file that shows that the kernel keeps the account.
_ACCOUNT_FILES: dict[Account, str] = {
    "cpu": "cpu.stat",
    "memory": "memory.peak",
    "io": "io.stat",
    "pressure": "cpu.pressure",
}


class ControlGroups(Placement):
    """Groups `plumbline.<session>.<role>`, made when a session begins.

    The harness has a set but no group: the harness would have to leave its group before the group could be removed.
    """

    def __init__(self, topology: Topology, reason: str) -> None:
        self.reason = reason
        self._topology = topology
        self._session = ""
        self._made_folders: list[Path] = []

    def prepare(self, session: str, sets: CpuSets) -> None:
        """Make the groups of application, database and load. Raises CannotGoOn when the kernel refuses."""
        super().prepare(session, sets)
        self._session = session
        for role in PLACED_ROLES:
            for folder in self._folders(role):
                make(folder)
                self._made_folders.append(folder)
            if role != "harness":
                cpus = cpus_of(sets, role)
                put(self._folders(role)[0] / "cpuset.cpus", format_cpulist(cpus))
                # Version 1 lets no process in before its nodes are named, even if they are all nodes.
                nodes = self.memory_nodes(cpus) or self._nodes()
                put(self._folders(role)[0] / "cpuset.mems", format_cpulist(nodes))

    def memory_nodes(self, cpus: tuple[int, ...]) -> tuple[int, ...]:
        """Return the nodes of the CPUs that have memory, unless that is every node; a node without borrows from all."""
        nodes = {cpu.node for cpu in self._topology.cpus if cpu.number in cpus}
        own_nodes = tuple(node for node in self._nodes() if node in nodes)
        return () if own_nodes == self._nodes() else own_nodes

    def groups(self) -> tuple[Path, ...]:
        """Return all folders that were made."""
        return tuple(self._made_folders)

    def close(self) -> None:
        """Remove all groups that were made."""
        remove(self.groups())

    def cannot_slow(self, folder: Path) -> str | None:
        """Return the reason why a role's writes can't be slowed: the folder lies on no disk."""
        if disk_of(folder) is not None:
            return None
        return f"The files below {folder} lie on no disk of their own (a tmpfs, an overlay), so writes can't be slowed."

    def _pid_files(self, role: PlacedRole) -> tuple[Path, ...]:
        return tuple(folder / "cgroup.procs" for folder in self._folders(role))

    @abstractmethod
    def _folders(self, role: PlacedRole) -> tuple[Path, ...]:
        """Return the groups of a role, first the group with the role's CPUs; none for the harness."""

    @abstractmethod
    def _nodes_file(self) -> Path:
        """Return the file that lists the nodes of memory that a group may have."""

    def _nodes(self) -> tuple[int, ...]:
        return parse_cpulist(self._nodes_file().read_text())


def accounts_in(folder: Path) -> dict[Account, Path]:
    """Return the folder of a group of version 2 under each account whose file the folder has."""
    return {account: folder for account, file in _ACCOUNT_FILES.items() if (folder / file).exists()}


def group_name(session: str, role: str) -> str:
    """Return `plumbline.<session>.<role>`: the name tells whose group it is."""
    return f"{PREFIX}{session}.{role}"


def session_of(name: str) -> str | None:
    """Return the session that made the group of that name; None when the group is not ours."""
    if not name.startswith(PREFIX) or name.count(".") < 2:
        return None
    return name.removeprefix(PREFIX).rpartition(".")[0]


def make(folder: Path) -> None:
    """Make a group; a group that the same session left there is taken over."""
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise CannotGoOn(
            f"The control group {folder} can't be made: {error.strerror}.",
            "Run again; `./bench doctor` says more.",
        ) from error


def put(file: Path, text: str) -> None:
    """Write one value to a file of a group. Raises CannotGoOn with the kernel's reason."""
    try:
        file.write_text(text)
    except OSError as error:
        raise CannotGoOn(
            f"The kernel refuses '{text}' for {file}: {error.strerror}.",
            "Run again; `./bench doctor` says more.",
        ) from error


def remove(folders: Iterable[Path]) -> None:
    """Remove groups. A group that still holds a process after a moment stays."""
    remaining = list(folders)
    end_s = time.monotonic() + REMOVE_WITHIN_S
    while remaining := [folder for folder in remaining if not _try_remove(folder)]:
        if time.monotonic() > end_s:
            return
        time.sleep(0.02)


def sweep(parents: Iterable[Path], alive: frozenset[str]) -> tuple[Path, ...]:
    """Remove the groups below `parents` whose session is not alive, and return the removed ones."""
    removed: list[Path] = []
    for parent in parents:
        with contextlib.suppress(OSError):
            for folder in sorted(parent.glob(f"{PREFIX}*")):
                session = session_of(folder.name)
                if session is not None and session not in alive and _try_remove(folder):
                    removed.append(folder)
    return tuple(removed)


def writable(folder: Path, *files: str) -> bool:
    """Return whether groups can be made in that folder, and whether these of its files can be written."""
    return os.access(folder, os.W_OK | os.X_OK) and all(os.access(folder / file, os.W_OK) for file in files)


def _try_remove(folder: Path) -> bool:
    try:
        folder.rmdir()
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return True


def disk_of(folder: Path) -> str | None:
    """Return `major:minor` of the whole disk below a folder, also for a folder on a partition; None without a disk."""
    device = os.stat(folder).st_dev
    entry = Path("/sys/dev/block") / f"{os.major(device)}:{os.minor(device)}"
    if not entry.exists():
        return None
    disk = entry.resolve().parent if (entry / "partition").exists() else entry.resolve()
    try:
        return (disk / "dev").read_text().strip()
    except OSError:
        return None
