"""`./bench plan --changed-since REF`: what a change can affect, for people, machines and GitHub (builds)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from plumbline.model.text import printable
from plumbline.verdicts.judge.wording import counted

if TYPE_CHECKING:
    from plumbline.subjects.catalog.catalog import Catalog
    from plumbline.subjects.change.affected import Effect

# GitHub refuses a matrix of more rows.
MOST_ROWS = 256


def matrix(catalog: Catalog, subjects: Iterable[str]) -> dict[str, Any]:
    """Return a matrix of builds, `{"include": [...]}`.

    `subject` of a row is an argument for `./bench ci pack`, `builder` names what the job sets up. Raises UsageError
    above GitHub's limit, with the next step.
    """
    from plumbline.model.errors import UsageError
    from plumbline.model.subject import NATIVE, file_slug, image_name, is_native

    rows: dict[str, dict[str, Any]] = {}
    for text in subjects:
        subject = catalog.subject(text)
        artifact_subject = catalog.artifact_of(subject)
        artifact, packaging = artifact_subject.id, artifact_subject.packaging
        row = rows.setdefault(
            artifact,
            {
                "slug": file_slug(artifact),
                "image": image_name(artifact),
                "artifact": artifact,
                "variant": subject.variant,
                "packaging": packaging,
                "builder": packaging.removeprefix(NATIVE) if is_native(packaging) else "jvm",
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


def changed(root: Path, since: str, suite: str | None) -> tuple[Catalog, str, Effect]:
    """Return the catalog of the working tree, the base commit, and what the change since then can affect."""
    from plumbline.subjects.catalog.catalog import read_catalog
    from plumbline.subjects.change.affected import effect
    from plumbline.subjects.change.scope import ChangeScope, difference

    catalog = read_catalog(root)
    if suite is not None:
        catalog.suite(suite)
    change = difference(root, since)
    return catalog, change.base, effect(change.changes, ChangeScope(catalog, suite))


def document(base: str, effect: Effect) -> dict[str, Any]:
    """Return the effect of a change as one JSON document."""
    return {
        "since": base,
        "subjects": list(effect.subjects),
        "scenarios": list(effect.scenarios),
        "affected": [
            {"subject": cell.subject, "scenario": cell.scenario, "reasons": list(cell.reasons)}
            for cell in effect.affected
        ],
        "files": [{"path": file.path, "affects": file.cells, "reasons": list(file.whys)} for file in effect.files],
    }


def table(base: str, effect: Effect) -> str:
    """Return the effect of a change as text: first the affected subjects, then the files that affect nothing.

    Whoever opens a pull request chose the names of its files.
    """
    return "\n".join(map(printable, _lines(base, effect)))


def _lines(base: str, effect: Effect) -> Iterator[str]:
    yield f"{counted(len(effect.files), 'file')} changed since {base[:12]}."
    if not effect.affected:
        yield "Nothing that is measured can be affected."
    else:
        yield f"{counted(len(effect.subjects), 'subject')} under {', '.join(effect.scenarios)} can be affected:"
    for subject in effect.subjects:
        cells = [cell for cell in effect.affected if cell.subject == subject]
        yield f"  {subject}: {', '.join(cell.scenario for cell in cells)}"
        reasons: dict[str, tuple[dict[str, None], dict[str, None]]] = {}
        for cell in cells:
            for reason in cell.reasons:
                path, _, explanation = reason.partition(": ")
                paths, scenarios = reasons.setdefault(explanation, ({}, {}))
                paths[path], scenarios[cell.scenario] = None, None
        for explanation, (paths, scenarios) in reasons.items():
            scope = "" if len(scenarios) == len(cells) else f" ({', '.join(scenarios)} only)"
            further = f" and {len(paths) - 3} more files" if len(paths) > 3 else ""
            yield f"      {', '.join([*paths][:3])}{further}: {explanation}{scope}"
    without_effect = [file for file in effect.files if not file.cells]
    if without_effect:
        yield "Without effect on what is measured:"
    for file in without_effect:
        yield f"  {file.path}: {'; '.join(file.whys)}"
