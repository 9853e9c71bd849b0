"""Check that a session's folder holds the files of its manifest: all of them, no others, unchanged."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

from plumbline.model.errors import AnswerIsNo
from .difference import RecordDifference, RecordRefused
from .evidence_file import FOLDER
from .files import is_plain, read_plain
from .write import NAME, RECORD, digest_of, parse_manifest

# Files that are made from the record, or not needed to check it: never in the manifest, and never trusted. Sessions
# before schema 3 left the findings of the doctor in doctor.json.
DERIVED_FILES = frozenset({"report.html", "report.md", "doctor.json", "logs"})

# The document of a life-cycle session, whose folder has a manifest of its own kind and no record.
LIFECYCLE = "lifecycle.json"

# The record of a night of a hundred trials takes half a megabyte; far larger ones are not written by this program.
MOST_BYTES = 64 * 2**20


def stated_files(folder: Path) -> dict[str, str]:
    """Return the files of the manifest with their digests, the record among them. Raises RecordRefused."""
    try:
        stated = parse_manifest(read_plain(folder / NAME, MOST_BYTES))
    except AnswerIsNo as error:
        raise RecordRefused("manifest", RecordDifference(error.problem, NAME)) from None
    if RECORD not in stated:
        raise RecordRefused("manifest", RecordDifference(f"{RECORD} is not in {NAME}.", RECORD))
    return stated


def stated_record(folder: Path) -> tuple[bytes, dict[str, str]]:
    """Return the bytes of the record, whose digest the manifest has, and the manifest's files. Raises RecordRefused."""
    stated = stated_files(folder)
    try:
        content = read_plain(folder / RECORD, MOST_BYTES)
    except AnswerIsNo as error:
        raise RecordRefused("unreadable", RecordDifference(error.problem, RECORD)) from None
    if (digest := hashlib.sha256(content).hexdigest()) != stated[RECORD]:
        raise RecordRefused("manifest", RecordDifference.of_digest(RECORD, stated[RECORD], digest))
    return content, stated


def session_folders(data: Path) -> list[Path]:
    """Return the folders at or below a path that hold a record or a manifest, without hidden ones and links.

    A folder with a life-cycle document in the place of a record is left out.
    """
    found = []
    for top, folders, files in os.walk(data):
        names = {*folders, *files}
        if names.isdisjoint((RECORD, NAME)):
            folders[:] = [name for name in folders if not name.startswith(".")]
        else:
            folders.clear()
            if RECORD in names or LIFECYCLE not in names:
                found.append(Path(top))
    return sorted(found)


def require_whole(folder: Path) -> int:
    """Return the number of files in the manifest. Raises RecordRefused for the first that is not as stated."""
    digests = stated_files(folder)
    problem = next(_problems(folder, digests), None)
    if problem is not None:
        raise RecordRefused("manifest", problem)
    return len(digests)


def _problems(folder: Path, digests: dict[str, str]) -> Iterator[RecordDifference]:
    if (folder / FOLDER).is_symlink():
        yield RecordDifference(f"{FOLDER}/ is a symbolic link, which a record does not have.", FOLDER)
    for path in sorted(digests):
        if not os.path.lexists(folder / path):
            yield RecordDifference(f"{path} is in {NAME} and not in the folder.", path)
        elif not is_plain(folder / path):
            yield RecordDifference(f"{path} is no plain file.", path)
    for path in _present(folder):
        if path not in digests:
            yield RecordDifference(f"{path} is in the folder and not in {NAME}.", path)
    for path, digest in sorted(digests.items()):
        if (actual := digest_of(folder / path)) != digest:
            yield RecordDifference.of_digest(path, digest, actual)


def _present(folder: Path) -> list[str]:
    top = {entry.name for entry in os.scandir(folder)} - DERIVED_FILES - {NAME, FOLDER}
    below = {f"{FOLDER}/{entry.name}" for entry in os.scandir(folder / FOLDER)} if (folder / FOLDER).is_dir() else set()
    return sorted(top | below)
