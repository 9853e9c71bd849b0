"""Files of the roles' cgroups, opened once the role has a cgroup."""

from __future__ import annotations

from plumbline.place.interface import PlacedRole
from ..open_file import OpenFile, find_account
from .base import Tick


class RoleFiles:
    """A cgroup file for each role, under the first of several names that exists."""

    def __init__(self, *names: str) -> None:
        self._names = names
        self._files: dict[PlacedRole, OpenFile | None] = {}

    def read(self, role: PlacedRole, tick: Tick) -> bytes | None:
        """Return the file's bytes, or None where the host has no such file."""
        if role not in self._files and (folders := tick.targets.cgroups_of(role)):
            self._files[role] = find_account(folders, *self._names)
        file = self._files.get(role)
        return None if file is None else file.read()

    def close(self) -> None:
        """Close the files."""
        for file in self._files.values():
            if file is not None:
                file.close()
