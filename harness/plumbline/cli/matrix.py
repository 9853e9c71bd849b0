"""A matrix of builds for GitHub Actions: one row an artifact, with the subjects that run it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from plumbline.catalog.catalog import Catalog

# More rows than this GitHub refuses.
MOST_ROWS = 256


def matrix(catalog: Catalog, subjects: Iterable[str]) -> dict[str, Any]:
    """Return a matrix of builds, `{"include": [...]}`.

    `subject` of a row is an argument for `./bench ci pack`, `builder` names what the job sets up. Raises UsageError
    above GitHub's limit, with the next step.
    """
    from plumbline.model.errors import UsageError
    from plumbline.model.subject import file_slug

    rows: dict[str, dict[str, Any]] = {}
    for text in subjects:
        subject = catalog.subject(text)
        packaging = catalog.variant(subject.variant).artifact_packaging(subject.packaging)
        artifact = f"{subject.variant}/{packaging}/{subject.engine}"
        row = rows.setdefault(
            artifact,
            {
                "slug": file_slug(artifact),
                "artifact": artifact,
                "variant": subject.variant,
                "packaging": packaging,
                "builder": packaging.partition(".")[2] or "jvm",
                "engine": subject.engine,
                "subject": text,
                "subjects": [],
            },
        )
        row["subjects"].append(text)
    if len(rows) > MOST_ROWS:
        raise UsageError(
            f"{len(rows)} artifacts are more than the {MOST_ROWS} jobs that GitHub starts for one matrix.",
            "Narrow the selection by --only, or move subjects to the rotation of the suite.",
        )
    return {"include": list(rows.values())}
