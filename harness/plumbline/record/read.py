"""Reads a session's folder."""

from __future__ import annotations

import json
from pathlib import Path

from pydantic import ValidationError

from plumbline.model.errors import AnswerIsNo
from plumbline.model.evidence import Evidence
from plumbline.model.record import Record
from .evidence_file import read_evidence
from .invalid import first_problem
from .unproven import conservatively
from .upcast import lifted
from .write import RECORD


def read_record(folder: Path) -> Record:
    """The record of a session's folder. Raises AnswerIsNo when there is none, or none of a known shape."""
    try:
        content = (folder / RECORD).read_bytes()
    except OSError as error:
        raise AnswerIsNo(
            f"{folder / RECORD} cannot be read: {error.strerror}.", "Name a session's folder."
        ) from error
    return parse_record(content)


def read_session(folder: Path) -> tuple[Record, dict[int, Evidence]]:
    """The record and the evidence of its trials, by number. Raises AnswerIsNo, naming the file."""
    record = read_record(folder)
    return record, {trial.number: read_evidence(folder, trial.number) for trial in record.trials}


def parse_record(content: bytes) -> Record:
    """A record from the bytes of record.json, of any schema we know. Raises AnswerIsNo.

    Older figures that were not proven steady are read as figures of programs that warm up.
    """
    try:
        return conservatively(Record.model_validate(lifted(json.loads(content))))
    except ValidationError as error:
        raise AnswerIsNo(f"{RECORD} does not have the shape of a record: {first_problem(error)}.") from error
    except (ValueError, RecursionError) as error:
        raise AnswerIsNo(f"{RECORD} is no JSON document ({error}).") from error
