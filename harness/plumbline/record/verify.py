"""Checks that a record of today's versions is what it says: every byte, then every figure and finding anew.

    manifest -> files -> canonical bytes -> evidence -> figures -> findings -> verdicts -> standings

Stops at the first difference and names it. What is read was written by others: paths are only those of a
record, links are refused, and nothing that is derived is believed. A frozen verifier (`record.frozen`) is this
module of its day with all that it imports; `record.gate` chooses between them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from plumbline.figures.compute import FIGURES_VERSION
from plumbline.host.classify import earns_lab
from plumbline.judge.referee import RULES_VERSION
from plumbline.model.evidence import Evidence
from plumbline.model.record import Record
from .assemble import assembled_again
from .compare import first_difference
from .difference import RecordDifference, RecordRefused
from .read import read_session
from .write import RECORD


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
    figures = sum(len(metrics) for trial in record.trials for metrics in trial.figures.values())
    findings = sum(len(trial.findings) for trial in record.trials)
    difference = _recomputed(record, evidence)
    return Verified(folder, len(evidence) + 1, len(record.trials), figures, findings, difference)


def _recomputed(record: Record, evidence: Mapping[int, Evidence]) -> RecordDifference | None:
    versions = (
        ("figures", record.versions.figures, FIGURES_VERSION),
        ("rules", record.versions.rules, RULES_VERSION),
    )
    for what, recorded, ours in versions:
        if recorded != ours:
            problem = (
                f"{RECORD}: {what} are of version {recorded}, and this program recomputes version {ours}."
            )
            return RecordDifference(problem, RECORD)
    host = record.host
    if "lab" in (record.plan.host_class, host.host_class) and not earns_lab(host.readings):
        return RecordDifference(
            f"{RECORD}: the readings of the host do not bear out that it is a lab.", RECORD
        )
    try:
        again = assembled_again(record, evidence)
    except Exception as error:
        # What validates can still be made so that no session can have left it, in ways that nobody can list. That is
        # an answer, not a crash.
        problem = f"{RECORD}: figures and findings cannot be recomputed ({error!r:.200})."
        return RecordDifference(problem, RECORD)
    return first_difference(record, again)
