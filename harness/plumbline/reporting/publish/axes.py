"""Finds the framework and the concurrency model of a variant, by which pages filter, and its name for people."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Literal, NamedTuple

from plumbline.model.errors import UsageError
from plumbline.subjects.catalog.variant import read_variant

Concurrency = Literal["imperative", "reactive", "virtual", "unknown"]

# The name of a variant that is no longer in the tree still tells its axes: ids are made of these words.
_WORDS: tuple[tuple[Concurrency, tuple[str, ...]], ...] = (
    ("virtual", ("virtual",)),
    ("reactive", ("reactive", "mutiny", "webflux", "r2dbc", "vertx")),
    ("imperative", ("jpa", "orm", "jdbc", "classic", "mvc", "compat")),
)


class Axes(NamedTuple):
    """Framework in lower case, concurrency model, and the variant's name for people; none out of the tree."""

    framework: str
    concurrency: Concurrency
    name: str = ""


def known_axes(apps: Path) -> dict[str, Axes]:
    """Return the axes of the variants in the tree, by variant; a folder that can't be read is left out."""
    found = {}
    for file in sorted(apps.glob("*/variant.toml")):
        try:
            spec = read_variant(file.parent).spec
        except UsageError:
            continue
        found[file.parent.name] = Axes(spec.framework.lower(), spec.concurrency, spec.name)
    return found


def axes_of(variant: str, known: Mapping[str, Axes], framework: str | None) -> Axes:
    """Return the axes of a variant: out of the tree, else by what the subject stated and by the words of its name."""
    if variant in known:
        return known[variant]
    words = variant.split("-")
    concurrency: Concurrency = next(
        (name for name, its in _WORDS if any(word in its for word in words)), "unknown"
    )
    return Axes(framework or words[0].rstrip("0123456789"), concurrency)
