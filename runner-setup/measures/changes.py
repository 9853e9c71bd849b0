"""The changes that a measure asks for on a host: the kinds of change, and how each looks in a plan."""

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
    """A file of the system, which boots leave as it is.

    `then` is a command by which the new content takes effect. With `reboot` it takes effect from the next boot on.
    """

    path: Path
    content: str
    then: tuple[str, ...] = ()
    reboot: bool = False

    def __str__(self) -> str:
        return f"write the file {self.path}"


@dataclass(frozen=True)
class Link:
    """A symbolic link of the system, which boots leave as it is; `then` is a command by which it takes effect."""

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
    """Return the value in a text of the kernel: the word in brackets (`always [madvise] never`), else all of it."""
    words = text.split()
    return next((word[1:-1] for word in words if word.startswith("[") and word.endswith("]")), text.strip())


def by_hand(roots: Roots) -> list[Change]:
    """Return no changes: a person has to see to the measure."""
    del roots
    return []


def masked(roots: Roots, units: Iterable[str]) -> list[Change]:
    """Return the changes that mask and stop those units of systemd that this host has: then nothing starts them."""
    unit_changes: list[Change] = []
    for unit in units:
        if any((folder / file).exists() for folder in _unit_folders(roots) for file in (unit, _template_of(unit))):
            unit_changes.append(mask(roots, unit))
            unit_changes.append(Stop(unit))
    return unit_changes


def mask(roots: Roots, unit: str) -> Link:
    """Return the link that masks a unit of systemd, so that nothing starts it."""
    return Link(_path_in_etc(roots, unit), MASK, then=RELOAD)


def is_masked(roots: Roots, unit: str) -> bool:
    """Return whether a unit of systemd is masked."""
    path = _path_in_etc(roots, unit)
    return path.is_symlink() and str(path.readlink()) == MASK


def _template_of(unit: str) -> str:
    """Return the name of the file that describes a unit: `name@.timer` describes each `name@instance.timer`."""
    name, at, instance = unit.partition("@")
    return f"{name}@.{instance.rpartition('.')[2]}" if at else unit


def _path_in_etc(roots: Roots, unit: str) -> Path:
    return roots.etc / "systemd/system" / unit


def _unit_folders(roots: Roots) -> tuple[Path, ...]:
    return (roots.etc / "systemd/system", roots.usr / "lib/systemd/system")
