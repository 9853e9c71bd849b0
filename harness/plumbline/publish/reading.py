"""Finds the sessions of a folder, and reads one: its record only as its manifest and its schema say it is."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from plumbline.model.errors import AnswerIsNo, UsageError
from plumbline.model.evidence import Evidence
from plumbline.model.record import Record
from plumbline.record.evidence_file import evidence_name, unpacked
from plumbline.record.evidence_file import evidence_of as decoded
from plumbline.record.invalid import first_problem
from plumbline.record.manifest import NAME, parse_manifest
from plumbline.record.upcast import lifted
from plumbline.record.write import RECORD
from plumbline.report.parts.clean import clean_text
from .model.integrity import Cause, LeftOut
from .safe import Hostile, check_names

# A night of a hundred trials takes half a megabyte; what is larger by far was not written by us.
MOST_BYTES = 64 * 2**20
_AT_ONCE = 4


@dataclass(frozen=True)
class Found:
    """A session's folder whose record is the one of its manifest. `key` is the digest of the manifest."""

    folder: str
    key: str


class Refused(Exception):
    """A record that is left out; `cause` and one sentence."""

    def __init__(self, cause: Cause, problem: str) -> None:
        super().__init__(problem)
        self.cause: Cause = cause
        self.problem = problem


def folders(data: Path) -> list[str]:
    """Paths below `data` of all folders that hold a record or a manifest, sorted; hidden ones and links left out.

    Raises UsageError where `data` is no folder.
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


def checked(data: Path, names: Iterable[str]) -> tuple[list[Found], list[LeftOut]]:
    """Each folder held against its manifest, in the order of `names`."""
    good: list[Found] = []
    bad: list[LeftOut] = []
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        for name, result in zip(names, pool.map(lambda one: _checked(data, one), names), strict=True):
            if isinstance(result, Refused):
                bad.append(left_out(name, result))
            else:
                good.append(Found(name, result))
    return good, bad


def left_out(folder: str, why: Refused) -> LeftOut:
    """The line of the integrity page."""
    return LeftOut(folder=clean_text(folder) or ".", cause=why.cause, problem=clean_text(why.problem))


def read(folder: Path) -> Record:
    """The record of a folder that was `checked`. Raises Refused."""
    content = (folder / RECORD).read_bytes()
    try:
        document = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise Refused("unreadable", f"{RECORD} is no JSON document ({error}).") from None
    try:
        document = lifted(document)
    except (AnswerIsNo, KeyError, TypeError, AttributeError) as error:
        raise Refused("schema", str(error)) from None
    try:
        record = Record.model_validate(document)
    except ValidationError as error:
        raise Refused("shape", f"It does not have the shape of a record: {first_problem(error)}.") from None
    except RecursionError:
        raise Refused("shape", "It does not have the shape of a record.") from None
    try:
        check_names(record)
    except Hostile as error:
        raise Refused("hostile", error.problem) from None
    return record


def files_of(folder: Path) -> dict[str, str]:
    """The files of the manifest with their digests."""
    return parse_manifest((folder / NAME).read_bytes())


def evidence_of(
    folder: Path, record: Record, files: dict[str, str]
) -> tuple[dict[int, Evidence], str | None]:
    """The evidence of the trials that have any, by number, and what is wrong with the first that can't be read.

    Evidence that the manifest does not name is not looked at.
    """
    found: dict[int, Evidence] = {}
    problem = None
    for trial in record.trials:
        name = evidence_name(trial.number)
        if name not in files:
            continue
        try:
            compressed = (folder / name).read_bytes()
            if hashlib.sha256(compressed).hexdigest() != files[name]:
                raise ValueError("it is not the file that the manifest names")
            one = decoded(unpacked(compressed))
            if (one.trial, one.subject, one.scenario) != (trial.number, trial.subject, trial.scenario):
                raise ValueError("it is of another trial")
            found[trial.number] = one
        except ValidationError as error:
            problem = problem or f"{name}: {first_problem(error)}."
        except Exception as error:  # zlib, gzip and JSON have each their own
            problem = problem or f"{name} can't be read: {error}."
    return found, problem


def _checked(data: Path, name: str) -> str | Refused:
    folder = data / name
    try:
        manifest = _bytes(folder / NAME)
        stated = parse_manifest(manifest)
        if RECORD not in stated:
            return Refused("manifest", f"{NAME} does not name {RECORD}.")
        content = _bytes(folder / RECORD)
    except FileNotFoundError as error:
        return Refused("manifest", f"There is no {Path(error.filename).name}.")
    except AnswerIsNo as error:
        return Refused("manifest", error.problem)
    except OSError as error:
        return Refused("unreadable", f"It can't be read: {error.strerror or error}.")
    if hashlib.sha256(content).hexdigest() != stated[RECORD]:
        return Refused("manifest", f"{RECORD} is not the one that {NAME} names.")
    return hashlib.sha256(manifest).hexdigest()


def _bytes(path: Path) -> bytes:
    """The bytes of a plain file; links are not followed."""
    with open(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as file:
        content = file.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise OSError(f"it holds more than {MOST_BYTES // 2**20} MiB")
    return content
