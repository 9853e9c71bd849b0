"""The control groups that an engine made for a container: what counts there for the application in it."""

from __future__ import annotations

from pathlib import Path

from plumbline.model.errors import UsageError
from .groups import accounts_in
from .interface import Account
from .mounts import Hierarchy, read_hierarchies
from .providers.cgroup1 import ACCOUNTS

# An engine's own group in version 1 has the quota as well.
_ACCOUNTS_OF_ENGINE: dict[str, Account] = {**ACCOUNTS, "cpu": "quota"}


def accounts_of(proc: Path, pid: int, container: str) -> dict[Account, Path]:
    """Return folders of the files that count for the container of this id, by account, as far as they are in sight.

    Its process may stand in a group below the container's own (crun makes one); the limits are those of the upper.
    """
    found: dict[Account, Path] = {}
    try:
        hierarchies = read_hierarchies(proc, str(pid))
    except UsageError:
        # The process has just ended; its watcher reports that better.
        return found
    for hierarchy in hierarchies:
        folder = _group(hierarchy, container)
        if folder is None:
            continue
        if hierarchy.version == 2:
            found |= accounts_in(folder)
        else:
            names = sorted(hierarchy.controllers & _ACCOUNTS_OF_ENGINE.keys())
            found |= {_ACCOUNTS_OF_ENGINE[name]: folder for name in names}
    return found


def _group(hierarchy: Hierarchy, container: str) -> Path | None:
    """Return the uppermost group that has the container's id in its name, whichever way its engine writes it."""
    above = reversed(hierarchy.parents())
    return next((folder for folder in above if container in folder.name and folder.is_dir()), None)
