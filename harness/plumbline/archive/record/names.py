"""Holds the names of a record to the forms that our own programs write: they become paths, addresses and words.

Whoever lands or publishes a record asks here. Other texts are cleaned of control characters and escaped where shown.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Literal

from plumbline.model.errors import AnswerIsNo
from plumbline.model.record import HostSession, Record
from plumbline.model.subject import Subject
from plumbline.verdicts.figures.compute import WHOLE_TRIAL

_SESSION = re.compile(r"[0-9A-Za-z][0-9A-Za-z._-]{0,99}\Z")
_HOST = re.compile(r"[0-9A-Za-z][0-9A-Za-z._-]{0,62}\Z")
_SCENARIO = re.compile(r"[a-z0-9][a-z0-9-]{0,59}@[1-9][0-9]{0,5}(x0\.[0-9]{1,4})?\Z")
_PHASE = re.compile(r"[a-z][a-z0-9@%.-]{0,31}\Z")
_METRIC = re.compile(r"[a-z0-9_]{1,60}\Z")
_RULE = re.compile(r"[A-Z][0-9]{1,3}\Z")
_SUITE = re.compile(r"[a-z0-9][a-z0-9._-]{0,59}\Z")
_COMMIT = re.compile(r"[0-9a-f]{7,64}\Z")
_ARTIFACT = re.compile(r"[a-z0-9][a-z0-9./+=-]{0,159}\Z")
_TRIALS = 5_000


class Hostile(AnswerIsNo):
    """A record carries a name that no session of ours writes."""

    cause: Literal["hostile"] = "hostile"


def is_host(name: str) -> bool:
    """Return whether a record may carry this name of a host."""
    return _HOST.match(name) is not None


def seconds(text: str) -> int:
    """Return seconds since 1970 of an ISO 8601 time; without a zone it is UTC. Raises Hostile."""
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        raise Hostile(f"'{text[:40]}' is no time.") from None
    found = found if found.tzinfo else found.replace(tzinfo=UTC)
    if not 2000 <= found.year < 2200:
        raise Hostile(f"'{text[:40]}' is a time that no session was measured at.")
    return int(found.timestamp())


def check_names(record: Record) -> None:
    """Check the names of a record. Raises Hostile for the first that our programs would not write."""
    plan = record.plan
    if len(record.trials) > _TRIALS or len(plan.trials) > _TRIALS:
        raise Hostile(f"It has more than {_TRIALS:,} trials.")
    sessions: tuple[Record | HostSession, ...] = (record, *record.parts)
    for its in sessions:
        _held(_SESSION, "session", its.plan.session)
        _held(_HOST, "host", its.plan.host)
        _held(_HOST, "host", its.host.name)
    for name in record.lost_hosts:
        _held(_HOST, "host", name)
    _held(_SUITE, "suite", plan.suite)
    if record.provenance.commit is not None:
        _held(_COMMIT, "commit", record.provenance.commit)
    seconds(record.provenance.started_at)
    for subject in {*plan.subjects, plan.control, *(one.subject for one in plan.trials)}:
        if not Subject.is_id(subject):
            raise Hostile(f"'{subject[:60]}' is no id of a subject.")
    for scenario in plan.scenarios:
        _held(_SCENARIO, "scenario", scenario.id)
        for phase in scenario.phases:
            _held(_PHASE, "phase", phase.name)
    known, subjects = {one.id for one in plan.scenarios}, {*plan.subjects, plan.control}
    for planned in plan.trials:
        if planned.scenario not in known or planned.subject not in subjects:
            raise Hostile(
                f"Planned trial {planned.number} is of a subject or scenario that the plan does not have."
            )
    _check_trials(record, known, subjects)
    named = (
        *(one.artifact for one in record.builds),
        *(one.artifact for one in record.images),
        *(one.subject for one in record.training),
    )
    for artifact in named:
        _held(_ARTIFACT, "artifact", artifact)


def _check_trials(record: Record, scenarios: set[str], subjects: set[str]) -> None:
    phases = {(one.id, phase.name) for one in record.plan.scenarios for phase in one.phases}
    metrics: set[str] = set()
    rules: set[str] = set()
    numbers: set[int] = set()
    for trial in record.trials:
        if trial.scenario not in scenarios or trial.subject not in subjects:
            raise Hostile(f"Trial {trial.number} is of a subject or scenario that the plan does not have.")
        if trial.number in numbers or trial.number < 0:
            raise Hostile(f"Trial {trial.number} is there twice, or has a number that none can have.")
        numbers.add(trial.number)
        for phase, figures in trial.figures.items():
            if phase != WHOLE_TRIAL and (trial.scenario, phase) not in phases:
                raise Hostile(f"Trial {trial.number} has figures of a phase that its scenario does not have.")
            metrics.update(figures)
        for finding in trial.findings:
            rules.add(finding.rule)
            if finding.phase is not None and (trial.scenario, finding.phase) not in phases:
                raise Hostile(
                    f"Trial {trial.number} has a check result of a phase that its scenario does not have."
                )
    for metric in metrics:
        _held(_METRIC, "metric", metric)
    for rule in rules:
        _held(_RULE, "rule", rule)


def _held(form: re.Pattern[str], what: str, text: str) -> None:
    if not form.match(text):
        raise Hostile(f"'{text[:60]}' is no name of a {what}.")
