"""Gives the special functions of scipy, whose import takes as long as many a command does."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from types import ModuleType


@cache
def special() -> ModuleType:
    """Return scipy.special, imported at the first call: most commands compute no interval."""
    return import_module("scipy.special")
