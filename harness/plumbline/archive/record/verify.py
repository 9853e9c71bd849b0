"""Checks that a record of today's versions is what it says: every byte, then every figure and finding anew.

    manifest -> files -> canonical bytes -> evidence -> figures -> findings -> verdicts -> standings

Stops at the first difference and names it. What is read was written by others: paths are only those of a
record, links are refused, and no derived value is believed. A frozen verifier (`record.frozen`) is this
module as it was at that time, with all that it imports; `record.gate` chooses between them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from plumbline.machine.host.classify import bears_out_its_class
from plumbline.model.evidence import Evidence
from plumbline.model.record import Finding, HostSession, Record, Trial
from plumbline.verdicts.figures.compute import FIGURES_VERSION
from plumbline.verdicts.judge.referee import RULES_VERSION
from plumbline.verdicts.judge.wording import counted
from plumbline.verdicts.stats.interim import LEVELS_AT_BLOCKS, LEVELS_OF_LOOKS, is_level_of
from .assemble import assembled_again
from .difference import RecordDifference, RecordRefused
from .read import read_session
from .write import RECORD


def first_difference(recorded: Record, recomputed: Record) -> RecordDifference | None:
    """Return the first difference of two records, trial by trial, then of the session's values; None without any."""
    return next(_differences(recorded, recomputed), None)


def _differences(recorded: Record, recomputed: Record) -> Iterator[RecordDifference]:
    for trial, again in zip(recorded.trials, recomputed.trials, strict=True):
        yield from _figures(trial, again)
        yield from _findings(trial, again)
        yield from _fields(trial.model_dump(mode="json"), again.model_dump(mode="json"), trial.number)
    stored, computed = (record.model_dump(mode="json") for record in (recorded, recomputed))
    for table in ("standings", "steadiness"):
        yield from _rows(table, stored.pop(table, []), computed.pop(table, []))
    yield from _fields(stored, computed, None)


def _rows(
    table: str, stored: Sequence[Mapping[str, Any]], computed: Sequence[Mapping[str, Any]]
) -> Iterator[RecordDifference]:
    for row, again in zip(stored, computed, strict=False):
        if row != again:
            # Empty fields are left out of a row, so that one row may have a field that the other lacks.
            name = next(key for key in (*row, *again) if (key in row, row.get(key)) != (key in again, again.get(key)))
            metric = f"{table} of {row['subject']} by {row['metric']}: {name}"
            yield _difference(metric, row.get(name), again.get(name), phase=row["phase"])
    if len(stored) != len(computed):
        yield _difference(f"number of {table}", len(stored), len(computed))


def _figures(trial: Trial, again: Trial) -> Iterator[RecordDifference]:
    for phase in sorted(trial.figures.keys() | again.figures.keys()):
        stored, computed = trial.figures.get(phase, {}), again.figures.get(phase, {})
        for metric in sorted(stored.keys() | computed.keys()):
            if stored.get(metric) != computed.get(metric):
                yield _difference(metric, stored.get(metric), computed.get(metric), trial.number, phase)


def _findings(trial: Trial, again: Trial) -> Iterator[RecordDifference]:
    stored, computed = _by_rule(trial.findings), _by_rule(again.findings)
    for rule, phase in [*stored, *(key for key in computed if key not in stored)]:
        stored_finding, computed_finding = stored.get((rule, phase)), computed.get((rule, phase))
        if stored_finding is None or computed_finding is None:
            stored_reading, computed_reading = (
                None if finding is None else finding.reading for finding in (stored_finding, computed_finding)
            )
            yield _difference(rule, stored_reading, computed_reading, trial.number, phase)
            continue
        for name in Finding.model_fields:
            if getattr(stored_finding, name) != getattr(computed_finding, name):
                yield _difference(
                    f"{rule} {name}",
                    getattr(stored_finding, name),
                    getattr(computed_finding, name),
                    trial.number,
                    phase,
                )


def _by_rule(findings: tuple[Finding, ...]) -> dict[tuple[str, str | None], Finding]:
    return {(finding.rule, finding.phase): finding for finding in findings}


def _fields(stored: Mapping[str, Any], computed: Mapping[str, Any], trial: int | None) -> Iterator[RecordDifference]:
    for name in dict.fromkeys((*stored, *computed)):
        if stored.get(name) != computed.get(name):
            yield _difference(name, stored.get(name), computed.get(name), trial)


def _difference(
    metric: str, recorded: object, recomputed: object, trial: int | None = None, phase: str | None = None
) -> RecordDifference:
    where = "" if trial is None else f" of trial {trial}"
    where += "" if phase is None else f", phase {phase}"
    texts = [_json(value) for value in (recorded, recomputed)]
    return RecordDifference(
        problem=f"{RECORD}: {metric}{where} is recorded as {texts[0]} and recomputed as {texts[1]}.",
        file=RECORD,
        trial=trial,
        phase=phase,
        metric=metric,
        recorded=texts[0],
        recomputed=texts[1],
    )


def _json(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 200 else text[:200] + "…"


@dataclass(frozen=True)
class Verified:
    """The result of verifying one folder. `difference` is None when everything is as recorded."""

    folder: Path
    files: int
    trials: int
    figures: int
    findings: int
    difference: RecordDifference | None


def verify(folder: Path) -> Verified:
    """Check one session's folder, whose record is of the versions of this program."""
    try:
        record, evidence = read_session(folder)
    except RecordRefused as why:
        return Verified(folder, 0, 0, 0, 0, why.difference)
    return verified(folder, record, evidence)


def verified(folder: Path, record: Record, evidence: Mapping[int, Evidence]) -> Verified:
    """Check what was read of a session's folder, whose record is of the versions of this program."""
    figures = sum(len(metrics) for trial in record.trials for metrics in trial.figures.values())
    findings = sum(len(trial.findings) for trial in record.trials)
    difference = _recomputed(record, evidence)
    return Verified(folder, len(evidence) + 1, len(record.trials), figures, findings, difference)


def _not_borne_out(session: Record | HostSession) -> Iterator[str]:
    """Yield each statement of a session that follows from no evidence and that other statements contradict."""
    plan, host = session.plan, session.host
    if plan.host_class != host.host_class:
        yield "plan and host are of two classes of hosts"
    if not bears_out_its_class(host):
        yield f"CPUs and readings of the host do not bear out that it is {host.host_class}"
    for course, levels in ((plan.budget, LEVELS_AT_BLOCKS), (plan.comparison, LEVELS_OF_LOOKS)):
        if course is not None and not is_level_of(course.looks, course.level, levels):
            yield f"the level {course.level:g} is too high for {counted(len(course.looks), 'look')}"


def _recomputed(record: Record, evidence: Mapping[int, Evidence]) -> RecordDifference | None:
    versions = (
        ("figures", record.versions.figures, FIGURES_VERSION),
        ("rules", record.versions.rules, RULES_VERSION),
    )
    for name, recorded, own_version in versions:
        if recorded != own_version:
            problem = f"{RECORD}: {name} are of version {recorded}, and this program recomputes version {own_version}."
            return RecordDifference(problem, RECORD)
    for session in record.parts or (record,):
        problems = tuple(_not_borne_out(session))
        if problems:
            return RecordDifference(f"{RECORD}: {problems[0]}.", RECORD)
    try:
        again = assembled_again(record, evidence)
    except Exception as error:
        # A record that validates may still contradict itself, in ways that nobody can list. That is an answer, not a
        # crash.
        problem = f"{RECORD}: figures and check results cannot be recomputed ({error!r:.200})."
        return RecordDifference(problem, RECORD)
    return first_difference(record, again)
