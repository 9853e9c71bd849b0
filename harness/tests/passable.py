"""Opens pytest's folders, which are closed to other users: a database that drops root has to pass through them."""

from __future__ import annotations

from pathlib import Path

OF_PYTEST = ("pytest-", "popen-", "test_")


def open_up(folder: Path) -> None:
    """Lets others pass through `folder` and through each of its parents that pytest made."""
    for path in (folder, *folder.parents):
        if path.name.startswith(OF_PYTEST):
            path.chmod(0o711)
