"""Checks whether a record is as recorded, by the versions of rules and figures that it names.

versions of record.json -> this program, or the frozen verifier of those versions -> one of three words
                                                                 -> what today's rules say, beside it
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from plumbline.machine.host.kernel import format_cpulist
from plumbline.model.errors import AnswerIsNo, CannotGoOn, UsageError
from plumbline.model.evidence import Evidence
from plumbline.model.record import Record, Verdict, Versions
from plumbline.verdicts.figures.compute import FIGURES_VERSION
from plumbline.verdicts.judge.referee import RULES_VERSION
from .assemble import assembled_again
from .difference import RecordDifference, RecordRefused
from .files import read_plain
from .frozen import read_index, verified_by
from .layout import MOST_BYTES, require_whole, session_folders
from .read import read_record, read_session
from .verify import Verified, verified
from .write import RECORD

_Session = tuple[Record, dict[int, Evidence]]
Word = Literal["as recorded", "changed", "can't be recomputed here"]


@dataclass(frozen=True)
class ChangedVerdict:
    """A trial that today's rules judge otherwise, and the first rule that says so."""

    trial: int
    then: Verdict
    now: Verdict
    rule: str | None


@dataclass(frozen=True)
class Today:
    """The result of today's rules and figures for an older record; `problem` if they can't read it."""

    rules: int
    figures: int
    otherwise: tuple[ChangedVerdict, ...] = ()
    problem: str | None = None


@dataclass(frozen=True)
class Checked:
    """The result of checking one folder. Numbers count what was recomputed.

    `missing` are trials of the plan that left no evidence: such a record is as recorded, but not complete. `rules` and
    `figures_version` are those that the record names, None where it names none. `difference` belongs to `changed`,
    `reason` to `can't be recomputed here`. `today` is there where today's versions are others.
    """

    folder: Path
    word: Word
    rules: int | None
    figures_version: int | None
    files: int = 0
    trials: int = 0
    figures: int = 0
    findings: int = 0
    missing: tuple[int, ...] = ()
    difference: RecordDifference | None = None
    reason: str | None = None
    today: Today | None = None


def check_all(path: Path) -> tuple[Checked, ...]:
    """Check every record at or below a path, in the order of their folders. Raises UsageError when there is none."""
    folders = session_folders(path)
    if not folders:
        raise UsageError(f"There is no record at or below {path}.", "Name a session's folder, or one that holds some.")
    return tuple(check(folder) for folder in folders)


def check(folder: Path) -> Checked:
    """Check one session's folder by the versions that its record names, and judge an older record by today's too."""
    result, _ = _check(folder)
    if result.word == "changed" or (result.rules, result.figures_version) == (RULES_VERSION, FIGURES_VERSION):
        return result
    return replace(result, today=_today(folder))


def difference_in(folder: Path, record: Record, evidence: dict[int, Evidence]) -> RecordDifference | None:
    """Return the first difference of a session's folder, of which the record and all evidence were read already.

    None: it is as recorded, or its versions can't be recomputed here.
    """
    return _check(folder, (record, evidence))[0].difference


def _check(folder: Path, session: _Session | None = None) -> tuple[Checked, _Session | None]:
    """Return the result of checking a folder by the versions that its record names, and the session as it was read
    where today's program checked it. `session` is what was read of the folder before.
    """
    try:
        files = require_whole(folder)
    except RecordRefused as why:
        return Checked(folder, "changed", None, None, difference=why.difference), None
    versions = _versions(folder)
    if versions is not None and (versions.rules, versions.figures) != (RULES_VERSION, FIGURES_VERSION):
        return _check_older(folder, versions, files), None
    try:
        session = session or read_session(folder)
    except RecordRefused as why:
        return _checked(Verified(folder, 0, 0, 0, 0, why.difference), versions), None
    return _checked(verified(folder, *session), versions, _missing(session[0])), session


def _check_older(folder: Path, versions: Versions, files: int) -> Checked:
    archive = read_index().of(versions.rules, versions.figures)
    if archive is None:
        reason = (
            f"{RECORD} is of rules {versions.rules} and figures {versions.figures}: this program computes rules "
            f"{RULES_VERSION} and figures {FIGURES_VERSION}, and has no frozen verifier of the others."
        )
        return _not_recomputed(folder, versions, files, reason)
    try:
        result = verified_by(archive, folder)
    except CannotGoOn as error:
        return _not_recomputed(folder, versions, files, error.problem)
    if result.difference is not None:
        return _checked(result, versions)
    try:
        missing = _missing(read_record(folder))
    except RecordRefused:
        # The frozen verifier reads the record, and today's program does not.
        missing = ()
    return _checked(result, versions, missing)


def opened(folder: Path, say: Callable[[str], None]) -> tuple[Record, dict[int, Evidence]]:
    """Return the record and the evidence of a folder that is as recorded and whole.

    Raises AnswerIsNo for a changed record, and for one that lacks trials of its plan. Calls `say` if the record can't
    be recomputed here.
    """
    result, session = _check(folder)
    if result.difference is not None:
        raise AnswerIsNo(
            f"{folder.name} is not as recorded: {result.difference.problem}",
            "Restore it from a backup or from the data branch.",
        )
    if result.missing:
        raise AnswerIsNo(
            f"{folder.name} is not whole: it lacks trials {format_cpulist(result.missing)} of its plan.",
            "Restore it from a backup or from the data branch.",
        )
    if result.reason is not None:
        say(f"{folder.name} can't be recomputed here. {result.reason}")
    return session or read_session(folder)


def _checked(
    result: Verified,
    versions: Versions | None,
    missing: tuple[int, ...] = (),
) -> Checked:
    return Checked(
        folder=result.folder,
        word="as recorded" if result.difference is None else "changed",
        rules=None if versions is None else versions.rules,
        figures_version=None if versions is None else versions.figures,
        files=result.files,
        trials=result.trials,
        figures=result.figures,
        findings=result.findings,
        missing=missing,
        difference=result.difference,
    )


def _not_recomputed(folder: Path, versions: Versions, files: int, reason: str) -> Checked:
    return Checked(
        folder=folder,
        word="can't be recomputed here",
        rules=versions.rules,
        figures_version=versions.figures,
        files=files,
        reason=reason,
    )


def _versions(folder: Path) -> Versions | None:
    """Return the versions that a record names, even if only its frozen verifier reads it; None if it names none."""
    try:
        return Versions.model_validate(json.loads(read_plain(folder / RECORD, MOST_BYTES))["versions"])
    except (AnswerIsNo, ValueError, LookupError, TypeError, RecursionError):
        return None


def _missing(record: Record) -> tuple[int, ...]:
    """Return the numbers of planned trials that the record lacks."""
    numbers = {trial.number for trial in record.trials}
    return tuple(trial.number for trial in record.plan.trials if trial.number not in numbers)


def _today(folder: Path) -> Today:
    try:
        record, evidence = read_session(folder)
        again = assembled_again(record, evidence)
    except RecordRefused as why:
        return Today(RULES_VERSION, FIGURES_VERSION, problem=why.problem)
    except Exception as error:  # as in `verify`
        return Today(RULES_VERSION, FIGURES_VERSION, problem=f"{RECORD} contradicts itself ({error!r:.200}).")
    return Today(RULES_VERSION, FIGURES_VERSION, tuple(_judged_otherwise(record, again)))


def _judged_otherwise(record: Record, again: Record) -> Iterator[ChangedVerdict]:
    for trial_then, trial_now in zip(record.trials, again.trials, strict=False):
        if trial_then.verdict != trial_now.verdict:
            findings_then = {(finding.rule, finding.phase, finding.outcome) for finding in trial_then.findings}
            rule = next(
                (
                    finding.rule
                    for outcome in ("invalid", "unknown", "warn", "pass")
                    for finding in trial_now.findings
                    if finding.outcome == outcome
                    and (finding.rule, finding.phase, finding.outcome) not in findings_then
                ),
                None,
            )
            yield ChangedVerdict(trial_then.number, trial_then.verdict, trial_now.verdict, rule)
