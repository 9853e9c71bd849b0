"""Find the control groups that an engine made for a container, where its application's resources are counted."""

from __future__ import annotations

from pathlib import Path

from plumbline.model.errors import UsageError
from .groups import accounts_in
from .interface import Account
from .mounts import Hierarchy, read_hierarchies
from .providers.cgroup1 import ACCOUNTS

# The group that an engine makes in version 1 has the quota as well.
_ACCOUNTS_OF_ENGINE: dict[str, Account] = {**ACCOUNTS, "cpu": "quota"}


def accounts_of(proc: Path, pid: int, container: str) -> dict[Account, Path]:
    """Return the folders of the files that count for a container, by account, as far as they can be seen.

    `container` is its id, and `pid` its process. The process may stand in a group below the container's own group (crun
    makes one); the limits are those of the upper group.
    """
    folders: dict[Account, Path] = {}
    try:
        hierarchies = read_hierarchies(proc, str(pid))
    except UsageError:
        # The process has just ended; its watcher reports that better.
        return folders
    for hierarchy in hierarchies:
        folder = _group_of(hierarchy, container)
        if folder is None:
            continue
        if hierarchy.version == 2:
            folders |= accounts_in(folder)
        else:
            names = sorted(hierarchy.controllers & _ACCOUNTS_OF_ENGINE.keys())
            folders |= {_ACCOUNTS_OF_ENGINE[name]: folder for name in names}
    return folders


def _group_of(hierarchy: Hierarchy, container: str) -> Path | None:
    """Return the uppermost group that has the container's id in its name, in whichever way the engine writes the id."""
    groups = reversed(hierarchy.parents())
    return next((folder for folder in groups if container in folder.name and folder.is_dir()), None)
