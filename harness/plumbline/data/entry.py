"""The index of a month: what a reader needs to choose sessions without opening them. Made from the records alone."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping

from pydantic import ValidationError

from plumbline.model.base import Frozen
from plumbline.model.errors import AnswerIsNo
from plumbline.model.finding import Verdict
from plumbline.model.host import HostClass
from plumbline.model.record import Record
from plumbline.record.canonical import canonical_bytes
from plumbline.record.difference import first_problem
from plumbline.record.manifest import NAME
from plumbline.record.write import RECORD
from .layout import run_path


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
    """Return the index of a month as it is written; the later of two entries of one session counts."""
    by_id = {entry.session: entry for entry in entries}
    return canonical_bytes(MonthIndex(sessions=tuple(by_id[name] for name in sorted(by_id))))


def parse_index(content: bytes) -> tuple[IndexEntry, ...]:
    """Return the entries of a month. Raises AnswerIsNo."""
    try:
        return MonthIndex.model_validate(json.loads(content)).sessions
    except ValidationError as error:
        raise AnswerIsNo(
            f"An index is damaged: {first_problem(error)}.", "`./bench ci index` makes it anew."
        ) from None
    except ValueError as error:
        raise AnswerIsNo(f"An index is damaged: {error}.", "`./bench ci index` makes it anew.") from None
