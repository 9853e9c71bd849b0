"""The base of all types that flow: frozen, and closed to unknown keys."""

from __future__ import annotations

from operator import not_
from typing import Any

from pydantic import BaseModel, ConfigDict, Field


class Frozen(BaseModel):
    """A model that is immutable and refuses unknown keys; it compares and hashes by value."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, defer_build=True)


def sparse(default: Any, description: str | None = None) -> Any:
    """Return a field that documents leave out where it is empty, as documents that are older than the field do.

    A field whose default is None is left out where it is None, every other one where it is false.
    """
    return Field(default=default, exclude_if=_is_none if default is None else not_, description=description)


def _is_none(value: object) -> bool:
    return value is None
