"""Reads what the variants of a plan's subjects declare: event loops, data access, the database and its control."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from plumbline.model.data_access import AccessClass, DataAccess
from plumbline.model.errors import UsageError
from plumbline.model.plan import Scenario
from plumbline.model.subject import Engine, Subject
from plumbline.subjects.catalog.catalog import Catalog
from plumbline.subjects.catalog.variant import VariantSpec


def event_loops(catalog: Catalog, subjects: Iterable[Subject]) -> tuple[str, ...]:
    """Return the ids of the subjects whose variant works on event loops, sorted, each once."""
    return tuple(sorted({subject.id for subject in subjects if _has_event_loops(spec_of(catalog, subject))}))


def driver_loops(catalog: Catalog, subjects: Iterable[Subject]) -> tuple[str, ...]:
    """Return the ids of the subjects whose database driver, one of R2DBC, chooses its loops, sorted."""
    return tuple(sorted({subject.id for subject in subjects if _has_loops_of_driver(catalog, subject)}))


def data_access(catalog: Catalog, subjects: Iterable[Subject]) -> dict[str, DataAccess]:
    """Return the class of data access of each subject, by id and sorted by it."""
    by_id = {subject.id: spec_of(catalog, subject).data_access for subject in subjects}
    return dict(sorted(by_id.items()))


def ranked_together(
    catalog: Catalog, subjects: Iterable[Subject], scenarios: Iterable[Scenario]
) -> dict[tuple[str, AccessClass], list[str]]:
    """Return the ids of the subjects of each class of data access under each scenario that they serve."""
    found = defaultdict[tuple[str, AccessClass], list[str]](list)
    by_subject = {subject.id: catalog.variant(subject.variant) for subject in subjects}
    for scenario in scenarios:
        for id_, variant in by_subject.items():
            if catalog.serves(variant, scenario.name):
                found[scenario.id, variant.spec.data_access if scenario.uses_database else "none"].append(id_)
    return found


def spec_of(catalog: Catalog, subject: Subject) -> VariantSpec:
    """Return what the variant of a subject declares. Raises UsageError for an unknown variant."""
    return catalog.variant(subject.variant).spec


def _has_event_loops(spec: VariantSpec) -> bool:
    # A program without a server serves nobody, but a reactive client has its loops there as well.
    return spec.serves_on == "event-loop" or (spec.serves_on == "cli" and spec.concurrency == "reactive")


def _has_loops_of_driver(catalog: Catalog, subject: Subject) -> bool:
    on_r2dbc = "r2dbc" in spec_of(catalog, subject).data.lower()
    return on_r2dbc and catalog.settings_of(subject).get("r2dbc-loops") != "own"


def engine_of(subjects: Iterable[Subject]) -> Engine:
    """Return the engine that the subjects ask for, "pg" where none of them asks for any.

    Raises UsageError when they ask for two: each trial would stop one server and start the other, and no control could
    be compared with both.
    """
    engines = {subject.engine for subject in subjects} - {"none"}
    if len(engines) > 1:
        raise UsageError(
            f"A session has one database, and these subjects ask for {' and '.join(sorted(engines))}.",
            "Choose one by --only, for example --only '*/pg*'.",
        )
    return "mysql" if engines == {"mysql"} else "pg"


def control_of(catalog: Catalog, subjects: Iterable[Subject]) -> Subject:
    """Return the control on the database of these subjects. Raises UsageError when it does not have that engine."""
    return catalog.subject(catalog.control.model_copy(update={"engine": engine_of(subjects)}).id)
