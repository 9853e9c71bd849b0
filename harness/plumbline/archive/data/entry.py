"""The index of a month, by which a reader chooses sessions without opening them, made from the records alone."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from pydantic import ValidationError

from plumbline.archive.record.difference import first_problem
from plumbline.archive.record.files import canonical_bytes
from plumbline.archive.record.layout import session_folders
from plumbline.archive.record.read import read_stated
from plumbline.archive.record.write import NAME, RECORD
from plumbline.model.base import Frozen
from plumbline.model.errors import AnswerIsNo
from plumbline.model.host import HostClass
from plumbline.model.record import Record, Verdict
from .layout import INDEX, RUNS, run_path


class IndexEntry(Frozen):
    """A session in the index. `manifest_sha256` is over MANIFEST.sha256, and so over every byte of the session."""

    session: str
    path: str
    started_at: str
    host: str
    host_class: HostClass
    suite: str
    comparison: bool
    commit: str | None
    verdict: Verdict
    subjects: tuple[str, ...]
    scenarios: tuple[str, ...]
    trials: int
    invalid_trials: int
    record_bytes: int
    evidence_bytes: int
    manifest_sha256: str


class MonthIndex(Frozen):
    """The sessions of one month, by id."""

    sessions: tuple[IndexEntry, ...] = ()


def entry_of(record: Record, files: Mapping[str, bytes]) -> IndexEntry:
    """Return the entry of a session whose files are these, by their paths below its folder."""
    plan = record.plan
    return IndexEntry(
        session=plan.session,
        path=run_path(plan.session),
        started_at=record.provenance.started_at,
        host=plan.host,
        host_class=plan.host_class,
        suite=plan.suite,
        comparison=plan.comparison is not None,
        commit=record.provenance.commit,
        verdict=record.verdict,
        subjects=plan.subjects,
        scenarios=tuple(scenario.id for scenario in plan.scenarios),
        trials=len(record.trials),
        invalid_trials=sum(trial.verdict == "invalid" for trial in record.trials),
        record_bytes=len(files[RECORD]),
        evidence_bytes=sum(len(content) for path, content in files.items() if path not in (RECORD, NAME)),
        manifest_sha256=hashlib.sha256(files[NAME]).hexdigest(),
    )


def index_bytes(entries: Iterable[IndexEntry]) -> bytes:
    """Return the index of a month as it is written; of two entries of one session the later one counts."""
    by_id = {entry.session: entry for entry in entries}
    return canonical_bytes(MonthIndex(sessions=tuple(by_id[name] for name in sorted(by_id))))


def parse_index(content: bytes) -> tuple[IndexEntry, ...]:
    """Return the entries of a month. Raises AnswerIsNo."""
    try:
        return MonthIndex.model_validate(json.loads(content)).sessions
    except ValidationError as error:
        raise AnswerIsNo(f"An index is damaged: {first_problem(error)}.", "`./bench ci index` makes it anew.") from None
    except (ValueError, RecursionError) as error:
        raise AnswerIsNo(f"An index is damaged: {error}.", "`./bench ci index` makes it anew.") from None


def recorded(data: Path) -> Iterator[IndexEntry]:
    """Yield the entries of all indexes of a checkout. Raises AnswerIsNo for a damaged one."""
    for path in sorted(data.glob(f"{RUNS}/*/*/{INDEX}")):
        yield from parse_index(path.read_bytes())


def rebuilt(data: Path) -> dict[str, bytes]:
    """Return the mapping `runs/YYYY/MM` -> its index.

    Evidence is not needed where the present index knows its size, and is not damaged; everything else is made anew.
    Raises AnswerIsNo.
    """
    months: dict[str, list[IndexEntry]] = {}
    for folder in session_folders(data / RUNS):
        month = folder.parent
        months.setdefault(month.relative_to(data).as_posix(), []).append(_entry(folder, data, _known_entries(month)))
    return {month: index_bytes(entries) for month, entries in sorted(months.items())}


def differing(data: Path) -> Iterator[str]:
    """Yield the paths of the indexes of a checkout that differ from what its records say."""
    rebuilt_indexes = rebuilt(data)
    present = {path.parent.relative_to(data).as_posix(): path for path in data.glob(f"{RUNS}/*/*/{INDEX}")}
    for month in sorted({*rebuilt_indexes, *present}):
        path = present.get(month)
        if path is None or path.read_bytes() != rebuilt_indexes.get(month):
            yield f"{month}/{INDEX}"


def _known_entries(month: Path) -> dict[str, IndexEntry]:
    try:
        return {entry.session: entry for entry in parse_index((month / INDEX).read_bytes())}
    except (FileNotFoundError, AnswerIsNo):
        return {}


def _entry(folder: Path, data: Path, known_entries: dict[str, IndexEntry]) -> IndexEntry:
    place = folder.relative_to(data).as_posix()
    try:
        record, digests = read_stated(folder)
    except AnswerIsNo as error:
        raise AnswerIsNo(f"{place}: {error.problem}", "`./bench verify` says more.") from None
    content, manifest = ((folder / name).read_bytes() for name in (RECORD, NAME))
    if run_path(record.plan.session) != place:
        raise AnswerIsNo(f"{place} holds the session {record.plan.session[:80]}, whose place is another.")
    evidence = {path: folder / path for path in digests if path != RECORD}
    if all(path.is_file() for path in evidence.values()):
        sizes = {path: file.read_bytes() for path, file in evidence.items()}
        return entry_of(record, {**sizes, RECORD: content, NAME: manifest})
    known_entry = known_entries.get(record.plan.session)
    if known_entry is None:
        raise AnswerIsNo(
            f"The evidence of {place} is not in this checkout, and no index knows its size.",
            "Fetch it by `./bench ci data OUT --evidence '*'`.",
        )
    entry = entry_of(record, {RECORD: content, NAME: manifest})
    return entry.model_copy(update={"evidence_bytes": known_entry.evidence_bytes})
