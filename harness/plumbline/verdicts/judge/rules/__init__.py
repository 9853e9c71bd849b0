"""All rules of the referee, one file each: every module here named like `r01_...` has a RULE."""

from __future__ import annotations

import pkgutil
from importlib import import_module

from ..rule import Rule

RULES: tuple[Rule, ...] = tuple(
    import_module(f"{__name__}.{module.name}").RULE
    for module in sorted(pkgutil.iter_modules(__path__), key=lambda module: module.name)
    if module.name.startswith("r")
)
"""All rules, in the order of their numbers."""

REQUIRED: frozenset[str] = frozenset(rule.id for rule in RULES if rule.required)
"""The rules that have to be answered for a trial to be valid."""
