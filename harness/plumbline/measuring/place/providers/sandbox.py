"""The sandbox: units of systemd that a root service starts for us, each in the slice of its role."""

from __future__ import annotations

from pathlib import Path

from plumbline.measuring.place.groups import accounts_in
from plumbline.measuring.place.interface import PLACED_ROLES, Account, PlacedRole, Placement, cpus_of
from plumbline.measuring.place.launcher import Launcher
from plumbline.model.host import CpuSets


class Sandbox(Placement):
    """Processes can leave neither their CPUs nor their namespace, and have no right that they do not need."""

    name = "sandbox"

    def __init__(self, launcher: Launcher, namespace: str) -> None:
        self.reason = f"the launcher's units in {namespace}: CPUs, accounts, no network, throw-away users"
        self.launcher = launcher
        self._namespace = namespace
        self._folders: dict[str, Path] = {}
        self._own_folders: dict[str, Path] = {}

    def prepare(self, session: str, sets: CpuSets) -> None:
        """Tell the launcher the CPUs of each role. Raises CannotGoOn when the launcher refuses."""
        super().prepare(session, sets)
        cpus = {role: list(cpus_of(sets, role)) for role in PLACED_ROLES}
        answer = self.launcher.ask(do="join", namespace=self._namespace, cpus=cpus)
        self._folders = {role: Path(folder) for role, folder in answer["groups"].items()}
        self._own_folders = {name: Path(answer[name]) for name in ("database", "work")}

    @property
    def database_folder(self) -> Path:
        """The folder that only the database's user can write. It exists after `prepare`."""
        return self._own_folders["database"]

    @property
    def work_folder(self) -> Path:
        """The folder that the application can write: of a bounded size, in memory. It exists after `prepare`."""
        return self._own_folders["work"]

    def empty_work(self) -> None:
        """Have a new, empty work folder made for the next application. Raises CannotGoOn when the launcher refuses."""
        self.launcher.ask(do="empty")

    def accounting(self, role: PlacedRole) -> dict[Account, Path]:
        """Return the role's slice under each account whose file the slice has; the harness is not counted."""
        folder = self._folders.get(role)
        return {} if role == "harness" or folder is None else accounts_in(folder)

    def cannot_limit(self) -> str:
        """Return the reason: the launcher gives CPUs, and no share of a CPU."""
        return "The launcher's units have no limit of CPU time that could be changed in between."

    def cannot_slow(self, folder: Path) -> str:
        """Return the reason: the launcher gives CPUs, and no share of a disk."""
        return "The launcher's units have no limit of writes that could be changed in between."

    def close(self) -> None:
        """Hang up; the launcher then ends what is left."""
        self.launcher.close()
