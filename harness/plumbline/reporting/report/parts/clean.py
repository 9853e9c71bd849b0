"""Cleans every string of a record, since it may be hostile: characters that can't be printed safely everywhere are
taken out of the whole view here.

Each writer escapes for its format.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

from plumbline.model.base import Frozen
from plumbline.model.text import printable

# Enough for the sentence on standings of four classes; longer texts belong in the record, not in a report.
LONGEST = 1200

T = TypeVar("T")


def clean_text(text: str) -> str:
    """Return a text as one line of printable characters, at most LONGEST of them."""
    return printable(text if len(text) <= LONGEST else text[: LONGEST - 1] + "…")


def clean(part: T) -> T:
    """Return a view, or a part of it, with every string cleaned."""
    cleaned: Any = part
    if isinstance(part, str):
        cleaned = clean_text(part)
    elif isinstance(part, tuple):
        cleaned = tuple(clean(item) for item in part)
    elif isinstance(part, Mapping):
        cleaned = {clean(key): clean(value) for key, value in part.items()}
    elif is_dataclass(part) and not isinstance(part, type):
        cleaned = replace(part, **{field.name: clean(getattr(part, field.name)) for field in fields(part)})
    elif isinstance(part, Frozen):
        cleaned = part.model_copy(update={name: clean(getattr(part, name)) for name in type(part).model_fields})
    result: T = cleaned
    return result
