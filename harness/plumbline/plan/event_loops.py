"""Which subjects do their work on event loops, as their variants declare it."""

from __future__ import annotations

from collections.abc import Iterable

from plumbline.catalog.catalog import Catalog
from plumbline.catalog.variant import VariantSpec


def event_loops(catalog: Catalog, subjects: Iterable[str]) -> tuple[str, ...]:
    """Those of the ids whose variant works on event loops, sorted and each once."""
    return tuple(
        sorted(id_ for id_ in set(subjects) if _loops(catalog.variant(catalog.subject(id_).variant).spec))
    )


def _loops(spec: VariantSpec) -> bool:
    # A program without a server serves nobody, but a reactive client has its loops there as well.
    return spec.serves_on == "event-loop" or (spec.serves_on == "cli" and spec.concurrency == "reactive")
