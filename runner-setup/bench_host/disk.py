"""Changes to files: each is made as a whole or not at all, even if the program ends in the middle."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

_NEW = ".plumbline-new"


class Disk:
    """Files below the root of a host. `step` is called before every single change; a test ends the program there."""

    def step(self) -> None:
        """Do nothing, on a real host."""

    def write(self, path: Path, content: bytes, mode: int, owner: tuple[int, int] | None = None) -> None:
        """Put a file in its place, with its mode and, where given, its user and group."""
        new = new_of(path)
        self.step()
        descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            os.fchmod(descriptor, mode)
            if owner is not None and owner != (os.geteuid(), os.getegid()):
                os.fchown(descriptor, *owner)
            file.flush()
            os.fsync(descriptor)
        self._into_place(new, path)

    def link(self, path: Path, target: str) -> None:
        """Put a symbolic link in its place."""
        new = new_of(path)
        self.step()
        new.unlink(missing_ok=True)
        new.symlink_to(target)
        self._into_place(new, path)

    def value(self, path: Path, text: str) -> None:
        """Write a value of the kernel, which takes or refuses it as a whole. Raises OSError with its reason."""
        self.step()
        with path.open("r+", encoding="utf-8") as file:
            file.write(text)
            if path.stat().st_size:
                # A recorded tree holds plain files; those of the kernel have no size.
                file.truncate()

    def remove(self, path: Path) -> None:
        """Remove a file or a link, if it is there."""
        self.step()
        path.unlink(missing_ok=True)

    def make_folder(self, path: Path) -> None:
        """Make a folder."""
        self.step()
        path.mkdir(mode=0o755)

    def remove_folder(self, path: Path) -> None:
        """Remove a folder, unless somebody put something into it."""
        self.step()
        with contextlib.suppress(OSError):
            path.rmdir()

    def _into_place(self, new: Path, path: Path) -> None:
        self.step()
        new.replace(path)
        descriptor = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def new_of(path: Path) -> Path:
    """Return the path of a file's new content until that is whole."""
    return path.with_name(path.name + _NEW)
