"""Reads what the variants of a plan declare: which work on event loops, and how each reaches its data."""

from __future__ import annotations

from collections.abc import Iterable

from plumbline.catalog.catalog import Catalog
from plumbline.catalog.variant import VariantSpec
from plumbline.model.data_access import DataAccess


def event_loops(catalog: Catalog, subjects: Iterable[str]) -> tuple[str, ...]:
    """The subjects of these ids whose variant works on event loops, sorted, each once."""
    return tuple(sorted(id_ for id_ in set(subjects) if _loops(_spec(catalog, id_))))


def data_access(catalog: Catalog, subjects: Iterable[str]) -> dict[str, DataAccess]:
    """The class of data access of each of the ids, sorted by id."""
    return {id_: _spec(catalog, id_).data_access for id_ in sorted(set(subjects))}


def _spec(catalog: Catalog, subject: str) -> VariantSpec:
    return catalog.variant(catalog.subject(subject).variant).spec


def _loops(spec: VariantSpec) -> bool:
    # A program without a server serves nobody, but a reactive client has its loops there as well.
    return spec.serves_on == "event-loop" or (spec.serves_on == "cli" and spec.concurrency == "reactive")
