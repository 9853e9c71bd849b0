"""Version 1 knew no comparisons, and did not say which artifact a subject ran: all that is new may be absent."""

from __future__ import annotations

from typing import Any


def lift(document: dict[str, Any]) -> dict[str, Any]:
    """The document as version 2. What trials ran is computed again from their evidence, and unknown without it."""
    return {**document, "versions": {**document["versions"], "schema_version": 2}}
