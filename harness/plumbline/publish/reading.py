"""Finds the sessions of a folder, and reads one: its record only as its manifest and its schema say it is."""

from __future__ import annotations

import os
from pathlib import Path

from plumbline.model.errors import UsageError
from plumbline.model.evidence import Evidence
from plumbline.model.record import Record
from plumbline.record.difference import RecordRefused
from plumbline.record.evidence_file import evidence_name, read_evidence
from plumbline.record.manifest import NAME
from plumbline.record.read import read_stated
from plumbline.record.write import RECORD
from plumbline.report.parts.clean import clean_text
from .model.integrity import Cause, LeftOut
from .safe import check_names


def folders(data: Path) -> list[str]:
    """Return the paths below `data` of all folders that hold a record or a manifest, sorted, without hidden folders and
    links.

    Raises UsageError if `data` is no folder.
    """
    if not data.is_dir():
        raise UsageError(
            f"{data} is no folder.", "Name a folder that holds sessions, or a checkout of the data branch."
        )
    found, waiting = [], [""]
    while waiting:
        at = waiting.pop()
        below: list[str] = []
        is_session = False
        with os.scandir(data / at) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    if not entry.name.startswith("."):
                        below.append(f"{at}/{entry.name}" if at else entry.name)
                elif entry.name in (RECORD, NAME):
                    is_session = True
        if is_session:
            found.append(at)
        else:
            waiting += below
    return sorted(found)


def left_out(folder: str, cause: Cause, problem: str) -> LeftOut:
    """Return the line of the integrity page."""
    return LeftOut(folder=clean_text(folder) or ".", cause=cause, problem=clean_text(problem))


def read(folder: Path) -> tuple[Record, dict[str, str]]:
    """Return the record of a folder, and the files of its manifest with their digests.

    Raises Refused, or Hostile for names that no page may carry.
    """
    record, files = read_stated(folder)
    check_names(record)
    return record, files


def evidence_of(
    folder: Path, record: Record, files: dict[str, str]
) -> tuple[dict[int, Evidence], str | None]:
    """Return the evidence of the trials that have any, by number, and what is wrong with the first evidence that can't
    be read.

    Evidence that the manifest does not name is not read.
    """
    found: dict[int, Evidence] = {}
    problem = None
    for trial in record.trials:
        name = evidence_name(trial.number)
        if name in files:
            try:
                found[trial.number] = read_evidence(folder, trial, files[name])
            except RecordRefused as why:
                problem = problem or why.problem
    return found, problem
