"""Writes a session's folder: under a temporary name, flushed to the disk, then renamed; never over another folder.

MANIFEST.sha256 names every file with its SHA-256, sorted by path: `sha256sum --check MANIFEST.sha256` reads it without
this program.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
from collections.abc import Mapping
from pathlib import Path

from plumbline.model.errors import AnswerIsNo, CannotGoOn, UsageError
from plumbline.model.evidence import Evidence
from plumbline.model.record import Record
from .evidence_file import FOLDER, write_evidence
from .files import canonical_bytes, flush_folder, write_whole

NAME = "MANIFEST.sha256"

_LINE = re.compile(r"([0-9a-f]{64})  (record\.json|evidence/[0-9]{4,}\.json\.gz)")


def manifest_bytes(digests: Mapping[str, str]) -> bytes:
    """Return the manifest of path -> SHA-256 in hexadecimal."""
    return "".join(f"{digests[path]}  {path}\n" for path in sorted(digests)).encode("ascii")


def parse_manifest(content: bytes) -> dict[str, str]:
    """Return the mapping path -> SHA-256. Raises AnswerIsNo for a line of another form, or a path that no record has.

    Only the paths of a record match, so that none can lead out of the folder.
    """
    digests: dict[str, str] = {}
    for number, line in enumerate(content.decode("utf-8", errors="replace").split("\n")[:-1], start=1):
        match = _LINE.fullmatch(line)
        if match is None:
            raise AnswerIsNo(f"{NAME}, line {number} is not a digest and a path of a record: '{line[:120]}'.")
        digests[match[2]] = match[1]
    if manifest_bytes(digests) != content:
        raise AnswerIsNo(f"{NAME} is not sorted, names a file twice, or lacks its last newline.")
    return digests


def digest_of(path: Path) -> str:
    """Return the SHA-256 of a file's bytes, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


RECORD = "record.json"


def write_record(folder: Path, record: Record, evidence: Mapping[int, Evidence]) -> Path:
    """Write record, evidence and manifest as a new folder, and return the path of record.json.

    `evidence` holds exactly the record's trials, by number. Raises UsageError when the folder is there
    already, CannotGoOn when the disk is full.
    """
    if os.path.lexists(folder):
        raise UsageError(f"{folder} is there already, and a record is never written over.", "Move it away first.")
    temporary = folder.with_name(f".{folder.name}.{os.getpid()}")
    try:
        shutil.rmtree(temporary, ignore_errors=True)
        (temporary / FOLDER).mkdir(parents=True)
        for trial in record.trials:
            write_evidence(temporary, evidence[trial.number])
        write_whole(temporary / RECORD, canonical_bytes(record))
        digests = {trial.evidence: digest_of(temporary / trial.evidence) for trial in record.trials}
        digests[RECORD] = digest_of(temporary / RECORD)
        write_whole(temporary / NAME, manifest_bytes(digests))
        temporary.rename(folder)
        flush_folder(folder.parent)
    except OSError as error:
        raise CannotGoOn(f"{folder} could not be written: {error.strerror}.", "Make room there, and resume.") from error
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
    return folder / RECORD
