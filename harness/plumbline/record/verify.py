"""Checks that a record of today's versions is what it says: every byte, then every figure and finding anew.

    manifest -> files -> canonical bytes -> evidence -> figures -> findings -> verdicts -> standings

Stops at the first difference and names it. What is read was written by others: paths are only those of a
record, links are refused, and nothing that is derived is believed. A frozen verifier (`record.frozen`) is this
module of its day with all that it imports; `record.gate` chooses between them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from plumbline.figures.compute import FIGURES_VERSION
from plumbline.host.classify import earns_lab
from plumbline.judge.referee import RULES_VERSION
from plumbline.model.errors import AnswerIsNo
from plumbline.model.evidence import Evidence
from plumbline.model.record import Record
from .assemble import assembled_again
from .canonical import canonical_bytes
from .compare import first_difference
from .difference import Difference
from .evidence_file import evidence_name, parse_evidence
from .layout import first_problem_of_files
from .manifest import NAME
from .read import parse_record
from .write import RECORD


@dataclass(frozen=True)
class Verified:
    """What was checked in one folder. `difference` is None when everything is as recorded."""

    folder: Path
    files: int
    trials: int
    figures: int
    findings: int
    difference: Difference | None

    @property
    def ok(self) -> bool:
        """Whether nothing differs."""
        return self.difference is None


def verify(folder: Path) -> Verified:
    """Check one session's folder."""
    files, difference = first_problem_of_files(folder)
    if difference is not None:
        return Verified(folder, files, 0, 0, 0, difference)
    try:
        record = _record(folder)
    except AnswerIsNo as error:
        return Verified(folder, files, 0, 0, 0, Difference(error.problem, RECORD))
    figures = sum(len(metrics) for trial in record.trials for metrics in trial.figures.values())
    findings = sum(len(trial.findings) for trial in record.trials)
    return Verified(folder, files, len(record.trials), figures, findings, _recomputed(folder, record, files))


def _record(folder: Path) -> Record:
    content = (folder / RECORD).read_bytes()
    record = parse_record(content)
    if canonical_bytes(json.loads(content)) != content:
        raise AnswerIsNo(f"{RECORD} is not canonical: it was not written by this program, or changed since.")
    return record


def _recomputed(folder: Path, record: Record, files: int) -> Difference | None:
    problem = next(_inconsistencies(record, files), None)
    if problem is not None:
        return Difference(problem, RECORD)
    evidence: dict[int, Evidence] = {}
    for trial in record.trials:
        name = evidence_name(trial.number)
        try:
            found = evidence[trial.number] = parse_evidence((folder / name).read_bytes(), name)
        except AnswerIsNo as error:
            return Difference(error.problem, name, trial.number)
        if (found.trial, found.subject, found.scenario) != (trial.number, trial.subject, trial.scenario):
            return Difference(
                f"{name} is the evidence of another trial than {trial.number}.", name, trial.number
            )
    try:
        again = assembled_again(record, evidence)
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:
        # What validates can still be made so that no session can have left it, and that is an answer, not a
        # crash.
        return Difference(f"{RECORD}: figures and findings cannot be recomputed ({error!r}).", RECORD)
    return first_difference(record, again)


def _inconsistencies(record: Record, files: int) -> Iterator[str]:
    versions = (
        ("figures", record.versions.figures, FIGURES_VERSION),
        ("rules", record.versions.rules, RULES_VERSION),
    )
    for what, recorded, ours in versions:
        if recorded != ours:
            yield (f"{RECORD}: {what} are of version {recorded}, and this program recomputes version {ours}.")
    plan = record.plan
    planned = {trial.number: trial for trial in plan.trials}
    scenarios = {scenario.id for scenario in plan.scenarios}
    host = record.host
    if "lab" in (plan.host_class, host.host_class) and not earns_lab(host.readings):
        yield f"{RECORD}: the readings of the host do not bear out that it is a lab."
    numbers = [trial.number for trial in record.trials]
    if len(planned) != len(plan.trials) or any(trial.scenario not in scenarios for trial in plan.trials):
        yield f"{RECORD}: the plan contradicts itself."
    if numbers != sorted(set(numbers)) or not set(numbers) <= set(planned):
        yield f"{RECORD}: its trials are not those of its plan, each once and in order."
    if files != len(numbers) + 1:
        yield f"{NAME} holds {files - 1} files of evidence, and {RECORD} has {len(numbers)} trials."
