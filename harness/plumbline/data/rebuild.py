"""The indexes again, from the records of a checkout of the branch."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from plumbline.model.errors import AnswerIsNo
from plumbline.record.manifest import NAME, parse_manifest
from plumbline.record.read import parse_record
from plumbline.record.write import RECORD
from .entry import Entry, entry_of, index_bytes
from .layout import INDEX, RUNS, run_path


def session_folders(data: Path) -> list[Path]:
    """`runs/YYYY/MM/<session>` of a checkout that hold a record, by id."""
    return sorted(
        (path.parent for path in data.glob(f"{RUNS}/*/*/*/{RECORD}")), key=lambda folder: folder.name
    )


def rebuilt(data: Path) -> dict[str, bytes]:
    """`runs/YYYY/MM` -> its index. Needs the whole of each session, evidence included. Raises AnswerIsNo."""
    months: dict[str, list[Entry]] = {}
    for folder in session_folders(data):
        months.setdefault(folder.parent.relative_to(data).as_posix(), []).append(_entry(folder, data))
    return {month: index_bytes(entries) for month, entries in sorted(months.items())}


def differing(data: Path) -> Iterator[str]:
    """The indexes of a checkout that are not what its records say, by path."""
    made = rebuilt(data)
    there = {path.parent.relative_to(data).as_posix(): path for path in data.glob(f"{RUNS}/*/*/{INDEX}")}
    for month in sorted({*made, *there}):
        path = there.get(month)
        if path is None or path.read_bytes() != made.get(month):
            yield f"{month}/{INDEX}"


def _entry(folder: Path, data: Path) -> Entry:
    manifest = (folder / NAME).read_bytes()
    files = {path: (folder / path).read_bytes() for path in parse_manifest(manifest)}
    record = parse_record(files[RECORD])
    where = folder.relative_to(data).as_posix()
    if run_path(record.plan.session) != where:
        raise AnswerIsNo(f"{where} holds the session {record.plan.session[:80]}, whose place is another.")
    return entry_of(record, {**files, NAME: manifest})
