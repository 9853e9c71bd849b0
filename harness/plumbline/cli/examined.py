"""What the doctor says of this host, kept beside the session that was measured on it."""

from __future__ import annotations

import os
from pathlib import Path

from plumbline.doctor.condition import Diagnosis
from plumbline.doctor.examine import Examination
from plumbline.model.errors import AnswerIsNo
from plumbline.model.record import Record
from plumbline.record.canonical import canonical_bytes
from plumbline.run.workshop import Workshop

NAME = "doctor.json"
# A report is some ten kilobytes.
_MOST_BYTES = 2**20


def examined(workshop: Workshop) -> bytes:
    """The report as it is kept, of the host as it stands before anything is measured."""
    found = Examination(workshop, is_root=os.geteuid() == 0).diagnosis()
    return canonical_bytes(found)


def kept_report(session: Path, record: Record) -> dict[str, bytes]:
    """Path on the data branch -> the report that lies beside a record, written anew; empty where there is none.

    Raises AnswerIsNo for one that is none of ours, or of another host: a session's folder comes from elsewhere.
    """
    path = session / NAME
    if not path.exists() and not path.is_symlink():
        return {}
    try:
        if path.is_symlink() or path.stat().st_size > _MOST_BYTES:
            raise ValueError
        found = Diagnosis.model_validate_json(path.read_bytes())
    except (OSError, ValueError):
        raise AnswerIsNo(f"{NAME} is no report of the doctor.", "Take it out of the folder.") from None
    if found.host != record.host.name:
        raise AnswerIsNo(f"{NAME} is of another host than the record.", "Take it out of the folder.")
    return {f"hosts/{found.host}/{NAME}": canonical_bytes(found)}
