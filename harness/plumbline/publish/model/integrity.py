"""The document of the records that were left out, and why."""

from __future__ import annotations

from typing import Literal

from plumbline.model.base import Frozen
from .base import Document

Cause = Literal[
    "unreadable", "manifest", "shape", "schema", "changed", "hostile", "twice", "ledger", "quiet", "simulated"
]


class LeftOut(Frozen):
    """A record that is not on this site. `folder` is its path below the data, as far as it can be shown safely."""

    folder: str
    cause: Cause
    problem: str


class IntegrityFile(Document):
    """`api/v1/integrity.json`. `causes` counts the records left out by cause; `evidence` are those whose record is
    shown, and whose evidence could not be read."""

    kind: Literal["integrity"] = "integrity"
    records: int
    shown: int
    causes: dict[Cause, int]
    left_out: tuple[LeftOut, ...]
    evidence: tuple[LeftOut, ...]
