"""Version 2 kept no readings of the host, so its conditions are unknown: the list of readings may be absent."""

from __future__ import annotations

from typing import Any


def lift(document: dict[str, Any]) -> dict[str, Any]:
    """The document as version 3."""
    return {**document, "versions": {**document["versions"], "schema_version": 3}}
