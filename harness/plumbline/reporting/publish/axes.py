"""Finds the framework and the concurrency model of a variant, by which pages filter, and the name for people."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Literal, NamedTuple

from plumbline.model.errors import UsageError
from plumbline.subjects.catalog.variant import read_variant

Concurrency = Literal["imperative", "reactive", "virtual", "unknown"]

# The name of a variant that is no longer in the tree still tells its axes, because names are made of these words.
_WORDS: tuple[tuple[Concurrency, tuple[str, ...]], ...] = (
    ("virtual", ("virtual",)),
    ("reactive", ("reactive", "mutiny", "webflux", "r2dbc", "vertx")),
    ("imperative", ("jpa", "orm", "jdbc", "classic", "mvc", "compat")),
)


class Axes(NamedTuple):
    """The framework in lower case, the concurrency model, and the name for people (empty outside of the tree)."""

    framework: str
    concurrency: Concurrency
    name: str = ""


def known_axes(apps: Path) -> dict[str, Axes]:
    """Return the axes of the variants in the tree, by variant; a folder that can't be read is left out."""
    axes_by_variant = {}
    for file in sorted(apps.glob("*/variant.toml")):
        try:
            spec = read_variant(file.parent).spec
        except UsageError:
            continue
        axes_by_variant[file.parent.name] = Axes(spec.framework.lower(), spec.concurrency, spec.name)
    return axes_by_variant


def axes_of(variant: str, axes_by_variant: Mapping[str, Axes], framework: str | None) -> Axes:
    """Return the axes of a variant: from the tree, else from the framework that its subject stated and the name."""
    if variant in axes_by_variant:
        return axes_by_variant[variant]
    words = variant.split("-")
    concurrency: Concurrency = next(
        (name for name, markers in _WORDS if any(word in markers for word in words)), "unknown"
    )
    return Axes(framework or words[0].rstrip("0123456789"), concurrency)
