"""The condition that there is no swap."""

from __future__ import annotations

import re

from .changes import Change, Command, mask
from .face import NeededFor, Reading, Roots, fit, unfit, unknown
from .files import read

ID = "swap"
TITLE = "Swap off"
WHY = "A page of the heap or the database that lies on disk turns one request into milliseconds of waiting."
NEEDED_FOR: NeededFor = "lab"
SOURCE = 'docs/method.md, "The referee": rule R24'

COMMAND = "sudo swapoff --all"
# A device that fstab names by a tag is a link in the tag's folder below /dev/disk.
_TAGS = {"UUID": "by-uuid", "LABEL": "by-label", "PARTUUID": "by-partuuid", "PARTLABEL": "by-partlabel"}


def check(roots: Roots) -> Reading:
    """Read /proc/swaps: a heading, then a line for each area."""
    table = read(roots.proc / "swaps")
    if not table:
        return unknown("whether swap is on is not shown (/proc/swaps)")
    areas = _areas(table)
    return unfit(f"on: {', '.join(areas)}", COMMAND) if areas else fit("off")


def changes(roots: Roots) -> list[Change]:
    """Return the changes that switch every area off, and mask systemd's units of fstab: no area comes back at boot."""
    lines = (line.split() for line in (read(roots.etc / "fstab") or "").splitlines())
    devices = [words[0] for words in lines if len(words) > 2 and words[2] == "swap" and words[0][0] != "#"]
    areas = _areas(read(roots.proc / "swaps") or "")
    return [
        *(mask(roots, unit_of(name)) for name in devices),
        *(Command(("swapoff", area), ("swapon", area)) for area in areas),
    ]


def unit_of(name: str) -> str:
    """Return the unit that systemd makes of a device in fstab: `UUID=12` -> `dev-disk-by\\x2duuid-12.swap`."""
    tag, equals, value = name.partition("=")
    path = f"/dev/disk/{_TAGS[tag]}/{value}" if equals and tag in _TAGS else name
    escaped = re.sub(r"[^A-Za-z0-9:_.-]|-", lambda match: f"\\x{ord(match[0]):02x}", path.strip("/").replace("/", "\0"))
    return escaped.replace("\\x00", "-") + ".swap"


def is_on(roots: Roots, area: str) -> bool:
    """Return whether an area is in use."""
    return area in _areas(read(roots.proc / "swaps") or "")


def _areas(table: str) -> list[str]:
    return [line.split()[0] for line in table.splitlines()[1:]]
