"""The indexes again, from the records of a checkout of the branch."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from plumbline.model.errors import AnswerIsNo
from plumbline.record.manifest import NAME
from plumbline.record.read import read_stated
from plumbline.record.write import RECORD
from .entry import IndexEntry, entry_of, index_bytes, parse_index
from .layout import INDEX, RUNS, run_path


def session_folders(data: Path) -> list[Path]:
    """Return `runs/YYYY/MM/<session>` of a checkout that hold a record, by id."""
    return sorted(
        (path.parent for path in data.glob(f"{RUNS}/*/*/*/{RECORD}")), key=lambda folder: folder.name
    )


def rebuilt(data: Path) -> dict[str, bytes]:
    """Return the mapping `runs/YYYY/MM` -> its index.

    Evidence is not needed where the index that is there knows its size: everything else is made anew. Raises
    AnswerIsNo.
    """
    months: dict[str, list[IndexEntry]] = {}
    for folder in session_folders(data):
        month = folder.parent
        months.setdefault(month.relative_to(data).as_posix(), []).append(_entry(folder, data, _known(month)))
    return {month: index_bytes(entries) for month, entries in sorted(months.items())}


def differing(data: Path) -> Iterator[str]:
    """Yield the indexes of a checkout that are not what its records say, by path."""
    made = rebuilt(data)
    there = {path.parent.relative_to(data).as_posix(): path for path in data.glob(f"{RUNS}/*/*/{INDEX}")}
    for month in sorted({*made, *there}):
        path = there.get(month)
        if path is None or path.read_bytes() != made.get(month):
            yield f"{month}/{INDEX}"


def _known(month: Path) -> dict[str, IndexEntry]:
    path = month / INDEX
    return {entry.session: entry for entry in parse_index(path.read_bytes())} if path.is_file() else {}


def _entry(folder: Path, data: Path, known: dict[str, IndexEntry]) -> IndexEntry:
    where = folder.relative_to(data).as_posix()
    try:
        record, digests = read_stated(folder)
    except AnswerIsNo as error:
        raise AnswerIsNo(f"{where}: {error.problem}", "`./bench verify` says more.") from None
    content, manifest = ((folder / name).read_bytes() for name in (RECORD, NAME))
    if run_path(record.plan.session) != where:
        raise AnswerIsNo(f"{where} holds the session {record.plan.session[:80]}, whose place is another.")
    evidence = {path: folder / path for path in digests if path != RECORD}
    if all(path.is_file() for path in evidence.values()):
        sizes = {path: file.read_bytes() for path, file in evidence.items()}
        return entry_of(record, {**sizes, RECORD: content, NAME: manifest})
    there = known.get(record.plan.session)
    if there is None:
        raise AnswerIsNo(
            f"The evidence of {where} is not in this checkout, and no index knows its size.",
            "Fetch it by `./bench ci data OUT --evidence '*'`.",
        )
    made = entry_of(record, {RECORD: content, NAME: manifest})
    return made.model_copy(update={"evidence_bytes": there.evidence_bytes})
