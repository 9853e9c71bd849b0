"""Checks a session's folder that somebody else made, before a byte of it is kept or shown.

    folder -> sizes -> shape -> names -> what it must belong to -> `verify`

Each step takes only what the one before let through, so that nothing is parsed that is too large, and nothing
recomputed that has no shape. Raises AnswerIsNo with the first reason.
"""

from __future__ import annotations

import json
import math
import os
import re
import zlib
from collections.abc import Set
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from plumbline.archive.record.evidence_file import FOLDER, evidence_name
from plumbline.archive.record.files import read_plain
from plumbline.archive.record.layout import DERIVED_FILES
from plumbline.archive.record.names import check_names
from plumbline.archive.record.read import parse_record
from plumbline.archive.record.verify import verify
from plumbline.archive.record.write import NAME, RECORD
from plumbline.model.errors import AnswerIsNo
from plumbline.model.record import HostSession, Record
from plumbline.verdicts.figures.compute import FIGURES_VERSION
from plumbline.verdicts.judge.referee import RULES_VERSION
from . import layout
from .layout import run_path

_EVIDENCE = re.compile(r"[0-9]{4,6}\.json\.gz")


@dataclass(frozen=True)
class Expected:
    """The facts that a record must match, as far as they are known; None and empty match every record.

    `digests` are those of the artifacts that were handed to the host, of all sides. `clean` asks for a
    checkout without changes of its own, and for a session that was really measured.
    """

    commit: str | None = None
    digests: Set[str] | None = None
    clean: bool = False
    now: datetime | None = None


def checked(folder: Path, expected: Expected) -> Record:
    """Return the record of a folder that passes every check."""
    record = well_formed(folder)
    _require_expected(record, expected)
    _require_versions_in_force(record)
    result = verify(folder)
    if result.difference is not None:
        raise AnswerIsNo(result.difference.problem)
    return record


def well_formed(folder: Path) -> Record:
    """Return the record of a folder whose sizes, shape and names are those of a session; nothing is recomputed yet."""
    _require_plain_folder(folder)
    content = read_plain(folder / RECORD, layout.RECORD_BYTES)
    document(content, RECORD, layout.RECORD_VALUES)
    record = parse_record(content)
    for session in (record.plan.session, *(part.plan.session for part in record.parts)):
        run_path(session)
    check_names(record)
    _require_evidence(folder, record)
    return record


def _require_versions_in_force(record: Record) -> None:
    versions = record.versions
    if (versions.rules, versions.figures) != (RULES_VERSION, FIGURES_VERSION):
        raise AnswerIsNo(
            f"The session is of rules {versions.rules} and figures {versions.figures}, and a new one lands only by "
            f"those in force, {RULES_VERSION} and {FIGURES_VERSION}: else anybody could choose milder rules.",
            "Land it from a checkout of the commit that measured it.",
        )


def files_of(folder: Path, record: Record) -> dict[str, bytes]:
    """Return the mapping path -> content of all that is kept of a checked folder."""
    paths = [RECORD, NAME, *(evidence_name(trial.number) for trial in record.trials)]
    return {path: (folder / path).read_bytes() for path in paths}


def _require_plain_folder(folder: Path) -> None:
    """Check that a folder holds plain files at their places and nothing else: no link, no pipe, no other folder."""
    if folder.is_symlink() or not folder.is_dir():
        raise AnswerIsNo(f"{folder.name} is no folder of a session.", "Name the folder that holds record.json.")
    with os.scandir(folder) as entries:
        for entry in entries:
            is_folder = entry.name == FOLDER and entry.is_dir(follow_symlinks=False)
            is_file = entry.name in (RECORD, NAME) and entry.is_file(follow_symlinks=False)
            if not (entry.name in DERIVED_FILES or is_folder or is_file):
                raise AnswerIsNo(f"'{entry.name[:80]}' is no plain file that a session leaves.")
    if not (folder / FOLDER).is_dir():
        raise AnswerIsNo(f"{FOLDER}/ is missing.")
    with os.scandir(folder / FOLDER) as entries:
        for count, entry in enumerate(entries, start=1):
            if count > layout.ENTRIES:
                raise AnswerIsNo(f"{FOLDER}/ holds more than {layout.ENTRIES:,} files.")
            if not _EVIDENCE.fullmatch(entry.name) or not entry.is_file(follow_symlinks=False):
                raise AnswerIsNo(f"'{FOLDER}/{entry.name[:80]}' is no plain file that a session leaves.")
    read_plain(folder / NAME, layout.MANIFEST_BYTES)


def _require_evidence(folder: Path, record: Record) -> None:
    values = 0
    for trial in record.trials:
        name = evidence_name(trial.number)
        compressed = read_plain(folder / name, layout.TRIAL_BYTES)
        worker = zlib.decompressobj(wbits=31)
        try:
            plain = worker.decompress(compressed, layout.EVIDENCE_PLAIN_BYTES)
        except zlib.error as error:
            raise AnswerIsNo(f"{name} is no intact gzip file ({error}).") from None
        if worker.unconsumed_tail:
            raise AnswerIsNo(f"{name} swells to more than {layout.EVIDENCE_PLAIN_BYTES:,} bytes.")
        values += _values_in_memory(document(plain, name, layout.EVIDENCE_VALUES))
        if values > layout.SESSION_VALUES:
            raise AnswerIsNo(f"The series of all trials spread to more than {layout.SESSION_VALUES:,} values.")


def _values_in_memory(evidence: Any) -> int:
    """Return how many values the series of a trial has once it is read; 0 for a document that is no evidence."""
    try:
        series = evidence["series"]
        return len(series["t_ms"]) * (len(series["columns"]) + len(series["thinned"]))
    except (LookupError, TypeError):
        return 0


def _require_expected(record: Record, expected: Expected) -> None:
    plan, provenance = record.plan, record.provenance
    now = expected.now or datetime.now(UTC)
    sessions: tuple[Record | HostSession, ...] = (record, *record.parts)
    for session in sessions:
        _require_times(session, now)
    if expected.clean:
        if plan.simulated:
            raise AnswerIsNo("The session is simulated: nothing was measured.")
        if provenance.commit is None or provenance.dirty:
            raise AnswerIsNo(
                "The session was measured outside a commit, or with changes of its own: nobody could repeat it.",
                "Commit, and measure again.",
            )
    if expected.commit is not None and provenance.commit != expected.commit:
        raise AnswerIsNo(
            f"The record is of commit {str(provenance.commit)[:12]}, and this job measured {expected.commit[:12]}: "
            "it belongs to another run."
        )
    if expected.digests is not None:
        _require_artifacts(record, expected.digests)


def _require_times(session: Record | HostSession, now: datetime) -> None:
    """Check that a session was named, then began, then ended, and that now is later; clocks may differ a little."""
    provenance = session.provenance
    named = _time(session.plan.session[:16], "%Y%m%dT%H%M%SZ")
    began, ended = (_time(text, "%Y-%m-%dT%H:%M:%SZ") for text in (provenance.started_at, provenance.ended_at))
    a_little = timedelta(seconds=layout.AHEAD_S)
    in_order = named - a_little <= began <= ended <= now + a_little
    if not in_order or (now - named).days > layout.OLDEST_DAYS:
        raise AnswerIsNo(
            f"The session is of {named:%Y-%m-%d %H:%M}, ran from {began:%Y-%m-%d %H:%M} to {ended:%Y-%m-%d %H:%M}, and "
            f"it is {now:%Y-%m-%d %H:%M} now: these are not in order, or it is older than {layout.OLDEST_DAYS} days."
        )


def _time(text: str, form: str) -> datetime:
    """Return the time of a text in exactly this form, so that times are in the order of their texts."""
    try:
        moment = datetime.strptime(text, form).replace(tzinfo=UTC)
    except ValueError:
        moment = None
    if moment is None or moment.strftime(form) != text:
        raise AnswerIsNo(f"'{text[:40]}' is no time as a session writes it.")
    return moment


def _require_artifacts(record: Record, digests: Set[str]) -> None:
    for build in record.builds:
        if build.sha256 not in digests:
            raise AnswerIsNo(
                f"The record ran {build.artifact} with digest {build.sha256[:12]}…, which this job did not hand over: "
                "it belongs to another run."
            )
    for artifact in record.ran:
        if artifact.sha256 not in digests:
            raise AnswerIsNo(
                f"The record's {artifact.subject} is none of the artifacts of this job: it belongs to another run."
            )


def document(content: bytes, name: str, most_values: int) -> Any:
    """Return the parsed document. Raises AnswerIsNo for NaN, infinity, and depth, texts or counts beyond reason."""
    # A value takes at least two bytes, so that a text with too many is refused before it is parsed.
    if content.count(b",") + content.count(b":") > 3 * most_values:
        raise AnswerIsNo(f"{name} holds more than {most_values:,} values.")
    try:
        parsed = json.loads(content, parse_constant=_refuse, parse_float=_finite)
    except RecursionError:
        raise AnswerIsNo(f"{name} is nested too deep.") from None
    except (ValueError, OverflowError) as error:
        raise AnswerIsNo(f"{name} is no JSON document that we read ({str(error)[:120]}).") from None
    _require_bounds(parsed, name, most_values)
    return parsed


def _refuse(word: str) -> float:
    raise ValueError(f"{word} is no number")


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"{text[:40]} is no finite number")
    return value


def _require_bounds(top: Any, name: str, most_values: int) -> None:
    count = 0
    stack: list[tuple[Any, int]] = [(top, 0)]
    while stack:
        value, depth = stack.pop()
        count += 1
        if count > most_values:
            raise AnswerIsNo(f"{name} holds more than {most_values:,} values.")
        if depth > layout.DEPTH:
            raise AnswerIsNo(f"{name} is nested deeper than {layout.DEPTH}.")
        if isinstance(value, str) and len(value) > layout.TEXT_CHARACTERS:
            raise AnswerIsNo(f"{name} holds a text of more than {layout.TEXT_CHARACTERS:,} characters.")
        if isinstance(value, dict):
            if any(len(key) > layout.KEY_CHARACTERS for key in value):
                raise AnswerIsNo(f"{name} holds a name of more than {layout.KEY_CHARACTERS} characters.")
            stack += ((item, depth + 1) for item in value.values())
        elif isinstance(value, list):
            stack += ((item, depth + 1) for item in value)
