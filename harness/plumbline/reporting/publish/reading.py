"""Finds the sessions of a folder, and reads the record of one, which must agree with its manifest and its schema.

Others wrote the records; a record with a name that our own programs do not write is left out as hostile.
"""

from __future__ import annotations

from pathlib import Path

from plumbline.archive.record.difference import RecordRefused
from plumbline.archive.record.evidence_file import evidence_name, read_evidence
from plumbline.archive.record.layout import session_folders
from plumbline.archive.record.names import check_names
from plumbline.archive.record.read import read_stated
from plumbline.model.errors import UsageError
from plumbline.model.evidence import Evidence
from plumbline.model.record import Record
from plumbline.reporting.report.parts.clean import clean_text
from .model.site import Cause, LeftOut


def folders(data: Path) -> list[str]:
    """Return the paths below `data` of all folders of sessions, sorted. Raises UsageError if `data` is no folder."""
    if not data.is_dir():
        raise UsageError(
            f"{data} is no folder.", "Name a folder that holds sessions, or a checkout of the data branch."
        )
    paths = session_folders(data)
    return sorted("" if folder == data else folder.relative_to(data).as_posix() for folder in paths)


def omission(folder: str, cause: Cause, problem: str) -> LeftOut:
    """Return the line of the integrity page about a record that is left out."""
    return LeftOut(folder=clean_text(folder) or ".", cause=cause, problem=clean_text(problem))


def read_record(folder: Path) -> tuple[Record, dict[str, str]]:
    """Return the record of a folder, and the files of its manifest with their digests.

    Raises RecordRefused, or Hostile for names that no page may carry.
    """
    record, files = read_stated(folder)
    check_names(record)
    return record, files


def evidence_of(folder: Path, record: Record, files: dict[str, str]) -> tuple[dict[int, Evidence], str | None]:
    """Return the evidence of the trials that have any, by trial number, and what is wrong with the first evidence that
    can't be read (None: nothing).

    Evidence that the manifest does not name is not read.
    """
    evidence: dict[int, Evidence] = {}
    problem = None
    for trial in record.trials:
        name = evidence_name(trial.number)
        if name in files:
            try:
                evidence[trial.number] = read_evidence(folder, trial, files[name])
            except RecordRefused as why:
                problem = problem or why.problem
    return evidence, problem
