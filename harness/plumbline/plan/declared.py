"""Reads what the subjects of a plan share: event loops, data access, the database and the control on it."""

from __future__ import annotations

from collections.abc import Iterable

from plumbline.catalog.catalog import Catalog
from plumbline.catalog.variant import VariantSpec
from plumbline.model.data_access import DataAccess
from plumbline.model.errors import UsageError
from plumbline.model.subject import Engine, Subject


def event_loops(catalog: Catalog, subjects: Iterable[str]) -> tuple[str, ...]:
    """Return the subjects of these ids whose variant works on event loops, sorted, each once."""
    return tuple(sorted(id_ for id_ in set(subjects) if _loops(_spec(catalog, id_))))


def data_access(catalog: Catalog, subjects: Iterable[str]) -> dict[str, DataAccess]:
    """Return the class of data access of each of the ids, sorted by id."""
    return {id_: _spec(catalog, id_).data_access for id_ in sorted(set(subjects))}


def _spec(catalog: Catalog, subject: str) -> VariantSpec:
    return catalog.variant(catalog.subject(subject).variant).spec


def _loops(spec: VariantSpec) -> bool:
    # A program without a server serves nobody, but a reactive client has its loops there as well.
    return spec.serves_on == "event-loop" or (spec.serves_on == "cli" and spec.concurrency == "reactive")


def engine_of(subjects: Iterable[str]) -> Engine:
    """Return the engine that the subjects ask for, "pg" where none of them asks for any.

    Raises UsageError when they ask for two: each trial would stop one server and start the other, and no control could
    be compared with both.
    """
    engines = {Subject.parse(subject).engine for subject in subjects} - {"none"}
    if len(engines) > 1:
        raise UsageError(
            f"A session has one database, and these subjects ask for {' and '.join(sorted(engines))}.",
            "Choose one by --only, for example --only '*/pg*'.",
        )
    return "mysql" if engines == {"mysql"} else "pg"


def control_of(catalog: Catalog, subjects: Iterable[str]) -> Subject:
    """Return the control on the database of these subjects. Raises UsageError when it does not have that engine."""
    stated = Subject.parse(catalog.bench.control)
    return catalog.subject(stated.model_copy(update={"engine": engine_of(subjects)}).id)
