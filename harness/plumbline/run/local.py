"""Sessions in results/local: the finished ones, those that wait to be resumed, and one by its name."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from plumbline.catalog.reading import nearest
from plumbline.model.errors import UsageError
from .journal import NAME, Journaled, read_journal

RUNNING = ".running"


def finished_sessions(results: Path) -> list[Path]:
    """Folders with a record, the newest first."""
    return sorted((path.parent for path in results.glob("*/record.json")), reverse=True)


def interrupted_sessions(results: Path) -> Iterator[tuple[Path, Journaled]]:
    """Folders with a journal and no record, the newest first."""
    for path in sorted((results / RUNNING).glob(f"*/{NAME}"), reverse=True):
        try:
            yield path.parent, read_journal(path.parent)
        except UsageError:
            continue


def find_record(results: Path, named: str | None) -> Path:
    """The folder of a record: a path to it or to its record.json, a session's name, or the newest for None.

    Raises UsageError with the nearest name.
    """
    sessions = finished_sessions(results)
    if named is None:
        if not sessions:
            raise UsageError("There is no record here yet.", "Make one by `./bench run`, or name a folder.")
        return sessions[0]
    path = Path(named)
    folder = path.parent if path.name == "record.json" else path
    if (folder / "record.json").is_file():
        return folder
    if (results / named / "record.json").is_file():
        return results / named
    raise UsageError(
        f"There is no record at or called '{named}'.", nearest(named, (s.name for s in sessions))
    )
