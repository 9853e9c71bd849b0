"""What a measure asks to be changed on a host: the kinds of change, and how each looks in a plan."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .face import Roots


@dataclass(frozen=True)
class Value:
    """A value of the kernel (a file of /proc/sys or /sys), which is gone with the next boot."""

    path: Path
    value: str

    def __str__(self) -> str:
        return f"write '{self.value}' to {self.path}"


@dataclass(frozen=True)
class File:
    """A file of the system that holds on over boots.

    `then` is a command that makes the new content count. With `reboot` it counts from the next boot on.
    """

    path: Path
    content: str
    then: tuple[str, ...] = ()
    reboot: bool = False

    def __str__(self) -> str:
        return f"write the file {self.path}"


@dataclass(frozen=True)
class Link:
    """A symbolic link of the system that holds on over boots; `then` is a command that makes it count."""

    path: Path
    target: str
    then: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"link {self.path} to {self.target}"


@dataclass(frozen=True)
class Command:
    """A command that changes the system, and the command that undoes it."""

    do: tuple[str, ...]
    undo: tuple[str, ...]

    def __str__(self) -> str:
        return f"run `{' '.join(self.do)}`"


@dataclass(frozen=True)
class Stop:
    """A unit of systemd that is stopped if it runs, and started again only if it ran."""

    unit: str

    def __str__(self) -> str:
        return f"stop {self.unit} if it runs"


Change = Value | File | Link | Command | Stop

RELOAD = ("systemctl", "daemon-reload")
MASK = "/dev/null"


def chosen(text: str) -> str:
    """The value that a file of the kernel shows: the word in brackets of `always [madvise] never`, else the text."""
    words = text.split()
    return next((word[1:-1] for word in words if word.startswith("[") and word.endswith("]")), text.strip())


def by_hand(roots: Roots) -> list[Change]:
    """The changes of a measure that a person has to see to: none."""
    del roots
    return []


def masked(roots: Roots, units: Iterable[str]) -> list[Change]:
    """Units of systemd that this host has: stopped, and never started by anything until they are unmasked."""
    found: list[Change] = []
    for unit in units:
        if any((folder / unit).exists() for folder in _unit_folders(roots)):
            found.append(mask(roots, unit))
            found.append(Stop(unit))
    return found


def mask(roots: Roots, unit: str) -> Link:
    """A unit of systemd that nothing starts."""
    return Link(_of_owner(roots, unit), MASK, then=RELOAD)


def is_masked(roots: Roots, unit: str) -> bool:
    """Whether a unit of systemd is masked."""
    path = _of_owner(roots, unit)
    return path.is_symlink() and str(path.readlink()) == MASK


def _of_owner(roots: Roots, unit: str) -> Path:
    return roots.etc / "systemd/system" / unit


def _unit_folders(roots: Roots) -> tuple[Path, ...]:
    return (roots.etc / "systemd/system", roots.usr / "lib/systemd/system")
