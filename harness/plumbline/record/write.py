"""Writes a session's folder: beside its place, flushed to the disk, then renamed; never over another."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from plumbline.model.errors import CannotGoOn, UsageError
from plumbline.model.evidence import Evidence
from plumbline.model.record import Record
from .canonical import canonical_bytes
from .evidence_file import FOLDER, write_evidence
from .files import flush_folder, write_whole
from .manifest import NAME, digest_of, manifest_bytes

RECORD = "record.json"


def write_record(folder: Path, record: Record, evidence: Mapping[int, Evidence]) -> Path:
    """Write record, evidence and manifest as a new folder, and return the path of record.json.

    `evidence` holds exactly the record's trials, by number. Raises UsageError when the folder is there
    already, CannotGoOn when the disk is full.
    """
    if os.path.lexists(folder):
        raise UsageError(
            f"{folder} is there already, and a record is never written over.", "Move it away first."
        )
    beside = folder.with_name(f".{folder.name}.{os.getpid()}")
    try:
        shutil.rmtree(beside, ignore_errors=True)
        (beside / FOLDER).mkdir(parents=True)
        for trial in record.trials:
            write_evidence(beside, evidence[trial.number])
        write_whole(beside / RECORD, canonical_bytes(record))
        digests = {trial.evidence: digest_of(beside / trial.evidence) for trial in record.trials}
        digests[RECORD] = digest_of(beside / RECORD)
        write_whole(beside / NAME, manifest_bytes(digests))
        beside.rename(folder)
        flush_folder(folder.parent)
    except OSError as error:
        raise CannotGoOn(
            f"{folder} could not be written: {error.strerror}.", "Make room there, and resume."
        ) from error
    finally:
        shutil.rmtree(beside, ignore_errors=True)
    return folder / RECORD
