"""The shelf: `harness/frozen/index.json` and the archives that it names, by their digests."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from pydantic import Field

from plumbline.model.base import Frozen
from plumbline.model.errors import CannotGoOn

SHELF = Path(__file__).resolve().parents[3] / "frozen"
INDEX = "index.json"


class Archive(Frozen):
    """An archive: the versions that it computes, the commit that it is made of, and the SHA-256 of its bytes."""

    rules: int
    figures: int
    commit: str = Field(pattern=r"^[0-9a-f]{40}$")
    sha256: str = Field(pattern=r"^[0-9a-f]{64}$")

    @property
    def name(self) -> str:
        """The name of the archive's file."""
        return f"rules-{self.rules}-figures-{self.figures}.pyz"


class Index(Frozen):
    """The index: the versions in force when it was written, and the archives of all others."""

    rules: int
    figures: int
    archives: tuple[Archive, ...] = ()

    def of(self, rules: int, figures: int) -> Archive | None:
        """Return the archive of a pair of versions."""
        return next((one for one in self.archives if (one.rules, one.figures) == (rules, figures)), None)


def read_index(shelf: Path = SHELF) -> Index:
    """Return the index of the shelf. Raises CannotGoOn where it is damaged: it belongs to the checkout."""
    try:
        return Index.model_validate(json.loads((shelf / INDEX).read_bytes()))
    except (OSError, ValueError) as error:
        raise CannotGoOn(f"{shelf / INDEX} cannot be used ({error}).", "Restore the checkout.") from None


def checked_path(archive: Archive, shelf: Path = SHELF) -> Path:
    """Return the file of an archive, which has the digest of the index. Raises CannotGoOn for any other."""
    path = shelf / archive.name
    try:
        found = hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise CannotGoOn(f"{path} cannot be read: {error.strerror}.", "Restore the checkout.") from None
    if found != archive.sha256:
        raise CannotGoOn(
            f"{path} is not the archive of the index, and is not run: its SHA-256 is {found[:12]}….",
            "Restore the checkout.",
        )
    return path
