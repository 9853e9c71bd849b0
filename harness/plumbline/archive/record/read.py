"""Reads a session's folder: the one reader of all commands, and of `verify`.

    plain files of a size -> manifest -> record: digest, JSON, canonical, shape, its own plan -> evidence: the same

Others wrote these files. Whatever they hold, the answer is a record, or RecordRefused with one sentence.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from plumbline.model.errors import AnswerIsNo
from plumbline.model.evidence import Evidence
from plumbline.model.record import SCHEMA_VERSION, Figures, Finding, Record, Trial
from plumbline.model.subject import Subject
from plumbline.verdicts.figures.compute import FIGURES_VERSION
from plumbline.verdicts.figures.metrics import WARMING
from plumbline.verdicts.judge.referee import RULES_VERSION
from .agreement import agreements
from .comparison import compared
from .difference import Cause, RecordDifference, RecordRefused, first_problem
from .evidence_file import evidence_name, read_evidence
from .files import canonical_bytes, is_canonical, parsed
from .layout import require_whole, stated_record
from .standings import standings
from .write import NAME, RECORD


def read_record(folder: Path) -> Record:
    """Return the record of a session's folder, with or without its evidence. Raises RecordRefused."""
    return read_stated(folder)[0]


def read_stated(folder: Path) -> tuple[Record, dict[str, str]]:
    """Return the record, and the files of its manifest with their digests. Raises RecordRefused."""
    content, stated = stated_record(folder)
    return parse_record(content), stated


def read_session(folder: Path) -> tuple[Record, dict[int, Evidence]]:
    """Return the record and the evidence of its trials by number, from the manifest's files. Raises RecordRefused."""
    require_whole(folder)
    content, stated = stated_record(folder)
    document = _document(content)
    _require_canonical(content, document)
    record = _record_of(document)
    _require_own_types(content, document, record)
    if len(stated) != len(record.trials) + 1:
        problem = f"{NAME} holds {len(stated) - 1} files of evidence, and {RECORD} has {len(record.trials)} trials."
        raise RecordRefused("manifest", RecordDifference(problem, RECORD))
    evidence = {}
    for trial in record.trials:
        name = evidence_name(trial.number)
        if name not in stated:
            raise RecordRefused("manifest", RecordDifference(f"{name} is not in the manifest.", name, trial.number))
        evidence[trial.number] = read_evidence(folder, trial, stated[name])
    return record, evidence


def parse_record(content: bytes) -> Record:
    """Return a record from the bytes of record.json, of any schema we know. Raises RecordRefused.

    Older figures that were not proven steady are read as figures of programs that warm up.
    """
    return _record_of(_document(content))


def _record_of(document: Any) -> Record:
    try:
        record = Record.model_validate(in_current_schema(document))
    except AnswerIsNo as error:
        raise _refused("schema", error.problem) from None
    except ValidationError as error:
        raise _refused("shape", f"does not have the shape of a record: {first_problem(error)}.") from None
    except (LookupError, TypeError, ValueError, RecursionError) as error:
        raise _refused("shape", f"does not have the shape of a record ({error!r}).") from None
    problem = next(_contradictions(record), None)
    if problem is not None:
        raise _refused("shape", problem)
    try:
        return as_read_today(record)
    except Exception as error:
        # A record that validates may still contradict itself, in ways that nobody can list.
        raise _refused("shape", f"contradicts itself ({error!r:.200}).") from None


def _document(content: bytes) -> Any:
    try:
        return parsed(content)
    except (ValueError, RecursionError) as error:
        raise _refused("unreadable", f"is no JSON document ({str(error)[:200]}).") from None


def _require_canonical(content: bytes, document: Any) -> None:
    try:
        canonical = is_canonical(content, document)
    except (ValueError, RecursionError) as error:
        raise _refused("unreadable", f"holds what JSON does not have ({str(error)[:200]}).") from None
    if not canonical:
        raise _refused("unreadable", "is not canonical: it was not written by this program, or changed since.")


def _require_own_types(content: bytes, document: Any, record: Record) -> None:
    """Check that a record of today holds each value as this program writes it, such as a number where a text would be
    read as the same number. Older records are held by their own verifiers.

    A record may lack fields that were added to the schema after it was written.
    """
    versions = record.versions
    if (versions.rules, versions.figures) != (RULES_VERSION, FIGURES_VERSION):
        return
    if canonical_bytes(_stated_part(record.model_dump(mode="json"), document)) != content:
        raise _refused("shape", "holds a value in another type, or under another name, than this program writes.")


def _stated_part(written: Any, stated: Any) -> Any:
    """Return the fields of a document that another document states as well."""
    if isinstance(written, dict) and isinstance(stated, dict):
        return {name: _stated_part(written[name], stated[name]) for name in stated if name in written}
    if isinstance(written, list) and isinstance(stated, list) and len(written) == len(stated):
        return [_stated_part(*pair) for pair in zip(written, stated, strict=True)]
    return written


def _contradictions(record: Record) -> Iterator[str]:
    plan = record.plan
    planned = {trial.number: trial for trial in plan.trials}
    scenarios = {scenario.id for scenario in plan.scenarios}
    numbers = [trial.number for trial in record.trials]
    ids = {plan.control, *plan.subjects, *(trial.subject for trial in plan.trials)}
    if (strange := next((id_ for id_ in sorted(ids) if not Subject.is_id(id_)), None)) is not None:
        yield f"names '{strange[:60]}', which is no id of a subject."
    if len(planned) != len(plan.trials) or any(trial.scenario not in scenarios for trial in plan.trials):
        yield "contradicts itself: its plan names a trial twice, or a scenario that it does not have."
    if numbers != sorted(set(numbers)) or not set(numbers) <= set(planned):
        yield "contradicts itself: its trials are not those of its plan, each once and in order."
    if record.parts and [trial.number for part in record.parts for trial in part.plan.trials] != [*planned]:
        yield "contradicts itself: its plan is not that of its hosts together."


def _refused(cause: Cause, problem: str) -> RecordRefused:
    return RecordRefused(cause, RecordDifference(f"{RECORD} {problem}", RECORD))


def in_current_schema(document: Any) -> dict[str, Any]:
    """Return the document in the present schema, in memory: what is stored is never rewritten.

    Version 1 has no comparisons and no artifacts of subjects, version 2 no conditions of the host: fields that may be
    absent. The artifacts that trials ran are computed again from their evidence. Raises AnswerIsNo when the version is
    unknown.
    """
    versions = document.get("versions") if isinstance(document, dict) else None
    version = versions.get("schema_version") if isinstance(versions, dict) else None
    if not isinstance(document, dict) or not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise AnswerIsNo("The document has no version of a record's schema.", "Is it a record.json?")
    if version > SCHEMA_VERSION:
        problem = f"The record has schema {version}, and this program knows schemas up to {SCHEMA_VERSION}."
        raise AnswerIsNo(problem, "Read it with a newer version.")
    current: dict[str, Any] = document
    if version < SCHEMA_VERSION:
        current = {**document, "versions": {**document["versions"], "schema_version": SCHEMA_VERSION}}
    if isinstance(ended := current.get("ended"), dict):
        # Earlier records of this version said how long to measure.
        current = {**current, "ended": {name: value for name, value in ended.items() if name != "lengths"}}
    return current


PROVEN_SINCE = 3
"""The version of figures from which a record says itself what its phases proved."""

_RULE = "R29"

_COUNTED_SINCE, _COUNT = 10, "first_10_s_requests"
"""The version of figures from which the requests of the first ten seconds are k6's own count, and their metric.

Older figures lack up to a second of every load that ended by then, which was up to 13 % of its requests.
"""


def as_read_today(record: Record) -> Record:
    """Return the record as it may be read today: older figures are of a warm program only where rule R29 passed.

    The figures of other trials get the names of figures while warming up, and all that is derived from figures is
    computed again. Older counts of the first ten seconds are left out. The stored record does not change. A record of
    today is returned as it stands.
    """
    if record.versions.figures < _COUNTED_SINCE:
        record = _without_sampled_counts(record)
    if record.versions.figures >= PROVEN_SINCE:
        return record
    trials = tuple(_with_warming_names(trial) for trial in record.trials)
    if trials == record.trials:
        return record
    plan = record.plan
    return record.model_copy(
        update={
            "trials": trials,
            "standings": standings(plan, trials) if plan.comparison is None else (),
            "comparison": compared(plan, trials),
            "agreements": agreements(plan, trials, record.steadiness),
        }
    )


def _without_sampled_counts(record: Record) -> Record:
    if all(_COUNT not in metrics for trial in record.trials for metrics in trial.figures.values()):
        return record
    comparison = record.comparison
    if comparison is not None:
        answers = tuple(answer for answer in comparison.answers if answer.metric != _COUNT)
        comparison = comparison.model_copy(update={"answers": answers})
    return record.model_copy(
        update={
            "trials": tuple(_without_sampled_count(trial) for trial in record.trials),
            "standings": tuple(row for row in record.standings if row.metric != _COUNT),
            "comparison": comparison,
            "agreements": tuple(row for row in record.agreements if row.metric != _COUNT),
        }
    )


def _without_sampled_count(trial: Trial) -> Trial:
    figures = {
        phase: {metric: value for metric, value in metrics.items() if metric != _COUNT}
        for phase, metrics in trial.figures.items()
    }
    return trial.model_copy(update={"figures": figures})


def _with_warming_names(trial: Trial) -> Trial:
    if _proven_steady(trial.findings):
        return trial
    figures: Figures = {
        phase: {WARMING.get(metric, metric): value for metric, value in metrics.items()}
        for phase, metrics in trial.figures.items()
    }
    return trial.model_copy(update={"figures": figures})


def _proven_steady(findings: tuple[Finding, ...]) -> bool:
    """Return whether the rule judged at least one phase, and found every phase steady that it judged."""
    outcomes = [finding.outcome for finding in findings if finding.rule == _RULE]
    return bool(outcomes) and all(outcome == "pass" for outcome in outcomes)
