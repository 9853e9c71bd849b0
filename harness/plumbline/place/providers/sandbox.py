"""The sandbox: units of systemd that a root service starts for us, each in the slice of its role."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from plumbline.model.host import CpuSets
from plumbline.place.interface import PLACED_ROLES, Account, ChildSetup, PlacedRole, cpus_of
from plumbline.place.launcher import Launcher
from plumbline.place.providers.cgroup2 import ACCOUNT_FILES


class Sandbox:
    """Processes can leave neither their CPUs nor their namespace, and have no right that they do not need."""

    name: Literal["sandbox"] = "sandbox"

    def __init__(self, launcher: Launcher, namespace: str) -> None:
        self.reason = f"the launcher's units in {namespace}: CPUs, accounts, no network, throw-away users"
        self.launcher = launcher
        self._namespace = namespace
        self._sets: CpuSets | None = None
        self._folders: dict[str, Path] = {}
        self._own: dict[str, Path] = {}

    def prepare(self, session: str, sets: CpuSets) -> None:
        """Tell the launcher the CPUs of each role. Raises CannotGoOn when it refuses."""
        self._sets = sets
        cpus = {role: list(cpus_of(sets, role)) for role in PLACED_ROLES}
        answer = self.launcher.ask(do="join", namespace=self._namespace, cpus=cpus)
        self._folders = {role: Path(folder) for role, folder in answer["groups"].items()}
        self._own = {name: Path(answer[name]) for name in ("database", "work")}

    @property
    def database_folder(self) -> Path:
        """The folder that only the database's user can write. It exists after `prepare`."""
        return self._own["database"]

    @property
    def work_folder(self) -> Path:
        """The folder that the application can write: of a bounded size, in memory. It exists after `prepare`."""
        return self._own["work"]

    def entry(self, role: PlacedRole) -> ChildSetup:
        """Return the CPUs alone: the launcher puts processes where they belong."""
        assert self._sets is not None, "prepare() comes first"
        return ChildSetup(files=(), cpus=cpus_of(self._sets, role))

    def accounting(self, role: PlacedRole) -> dict[Account, Path]:
        """Return the role's slice, under each account whose file it has; the harness is not counted."""
        folder = self._folders.get(role)
        if role == "harness" or folder is None:
            return {}
        return {account: folder for account, file in ACCOUNT_FILES.items() if (folder / file).exists()}

    def cannot_limit(self) -> str | None:
        """Return the reason why a role can't be limited: the launcher gives CPUs, and no share of a CPU."""
        return "The launcher's units have no limit of CPU time that could be changed in between."

    def limit(self, role: PlacedRole, cpus: float | None) -> None:
        """Raise NotImplementedError: callers have to ask `cannot_limit` first."""
        raise NotImplementedError(self.cannot_limit())

    def cannot_slow(self, folder: Path) -> str | None:
        """Return the reason why writes can't be slowed: the launcher gives CPUs, and no share of a disk."""
        return "The launcher's units have no limit of writes that could be changed in between."

    def slow(self, role: PlacedRole, folder: Path, writes_per_s: int | None) -> None:
        """Raise NotImplementedError: callers have to ask `cannot_slow` first."""
        raise NotImplementedError(self.cannot_slow(folder))

    def groups(self) -> tuple[Path, ...]:
        """Return no folder: the launcher removes its groups itself."""
        return ()

    def close(self) -> None:
        """Hang up, upon which the launcher ends what is left."""
        self.launcher.close()

    def sweep(self, alive: frozenset[str]) -> tuple[Path, ...]:
        """Remove nothing: the launcher ends the units of a connection when the connection ends."""
        return ()
