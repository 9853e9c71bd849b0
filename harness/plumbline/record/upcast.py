"""Lifts documents of older schemas to the present one, in memory; what is stored is never rewritten.

Each older version has one function here that lifts it by one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from plumbline.model.errors import AnswerIsNo
from plumbline.model.record import SCHEMA_VERSION


def _from_1(document: dict[str, Any]) -> dict[str, Any]:
    """Return a document of version 1 in the shape of version 2: version 1 has no comparisons and no artifacts of
    subjects, so all new fields may be absent.

    What trials ran is computed again from their evidence, and unknown without it.
    """
    return {**document, "versions": {**document["versions"], "schema_version": 2}}


def _from_2(document: dict[str, Any]) -> dict[str, Any]:
    """Return a document of version 2 in the shape of version 3: version 2 has no readings of the host, so its
    conditions are unknown.
    """
    return {**document, "versions": {**document["versions"], "schema_version": 3}}


_LIFTS: dict[int, Callable[[dict[str, Any]], dict[str, Any]]] = {1: _from_1, 2: _from_2}


def lifted(document: Any) -> dict[str, Any]:
    """Return the document in the present schema. Raises AnswerIsNo when its version is unknown."""
    versions = document.get("versions") if isinstance(document, dict) else None
    version = versions.get("schema_version") if isinstance(versions, dict) else None
    if (
        not isinstance(document, dict)
        or not isinstance(version, int)
        or isinstance(version, bool)
        or version < 1
    ):
        raise AnswerIsNo("The document has no version of a record's schema.", "Is it a record.json?")
    if version > SCHEMA_VERSION:
        problem = f"The record has schema {version}, and this program knows schemas up to {SCHEMA_VERSION}."
        raise AnswerIsNo(problem, "Read it with a newer version.")
    found: dict[str, Any] = document
    for older in range(version, SCHEMA_VERSION):
        found = _LIFTS[older](found)
    return found
