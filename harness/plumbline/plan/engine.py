"""Finds the database that all subjects of a session share, and the control on it."""

from __future__ import annotations

from collections.abc import Iterable

from plumbline.catalog.catalog import Catalog
from plumbline.model.errors import UsageError
from plumbline.model.subject import Engine, Subject


def engine_of(subjects: Iterable[str]) -> Engine:
    """The engine that the subjects ask for, "pg" where none of them asks for any.

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
    """The control on the database of these subjects. Raises UsageError when it does not have that engine."""
    stated = Subject.parse(catalog.bench.control)
    return catalog.subject(stated.model_copy(update={"engine": engine_of(subjects)}).id)
