"""The name by which a report calls a subject."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Name:
    """A subject: its id, the short form that still tells it from the others, and its mark (None: the control)."""

    id: str
    short: str
    mark: int | None
