"""Checks the names of a record against the forms that our programs write: they become paths, addresses and words.

Whatever lands or publishes a record calls it. Other texts are cleaned of control characters and escaped where shown.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Literal

from plumbline.model.errors import AnswerIsNo
from plumbline.model.plan import SCENARIO_NAME, SUITE_NAME
from plumbline.model.record import HostSession, Record
from plumbline.verdicts.figures.compute import WHOLE_TRIAL

_SESSION = re.compile(r"[0-9A-Za-z][0-9A-Za-z._-]{0,99}\Z")
_HOST = re.compile(r"[0-9A-Za-z][0-9A-Za-z._-]{0,62}\Z")
_SCENARIO = re.compile(SCENARIO_NAME + r"@[1-9][0-9]{0,5}(x0\.[0-9]{1,4})?\Z")
_PHASE = re.compile(r"[a-z][a-z0-9@%.-]{0,31}\Z")
_METRIC = re.compile(r"[a-z0-9_]{1,60}\Z")
_RULE = re.compile(r"[A-Z][0-9]{1,3}\Z")
_SUITE = re.compile(rf"{SUITE_NAME}\Z")
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
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise Hostile(f"'{text[:40]}' is no time.") from None
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    if not 2000 <= moment.year < 2200:
        raise Hostile(f"'{text[:40]}' is a time that no session was measured at.")
    return int(moment.timestamp())


def check_names(record: Record) -> None:
    """Check the names of a record. Raises Hostile for the first that our programs would not write."""
    plan = record.plan
    if len(record.trials) > _TRIALS or len(plan.trials) > _TRIALS:
        raise Hostile(f"It has more than {_TRIALS:,} trials.")
    sessions: tuple[Record | HostSession, ...] = (record, *record.parts)
    for session in sessions:
        _require_form(_SESSION, "session", session.plan.session)
        _require_form(_HOST, "host", session.plan.host)
        _require_form(_HOST, "host", session.host.name)
    for name in record.lost_hosts:
        _require_form(_HOST, "host", name)
    _require_form(_SUITE, "suite", plan.suite)
    if record.provenance.commit is not None:
        _require_form(_COMMIT, "commit", record.provenance.commit)
    seconds(record.provenance.started_at)
    for scenario in plan.scenarios:
        _require_form(_SCENARIO, "scenario", scenario.id)
        for phase in scenario.phases:
            _require_form(_PHASE, "phase", phase.name)
    scenarios, subjects = {scenario.id for scenario in plan.scenarios}, {*plan.subjects, plan.control}
    for planned in plan.trials:
        if planned.scenario not in scenarios or planned.subject not in subjects:
            raise Hostile(f"Planned trial {planned.number} is of a subject or scenario that the plan does not have.")
    _check_trials(record, scenarios, subjects)
    artifacts = (
        *(build.artifact for build in record.builds),
        *(image.artifact for image in record.images),
        *(training.subject for training in record.training),
    )
    for artifact in artifacts:
        _require_form(_ARTIFACT, "artifact", artifact)


def _check_trials(record: Record, scenarios: set[str], subjects: set[str]) -> None:
    phases = {(scenario.id, phase.name) for scenario in record.plan.scenarios for phase in scenario.phases}
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
                raise Hostile(f"Trial {trial.number} has a check result of a phase that its scenario does not have.")
    for metric in metrics:
        _require_form(_METRIC, "metric", metric)
    for rule in rules:
        _require_form(_RULE, "rule", rule)


def _require_form(form: re.Pattern[str], kind: str, text: str) -> None:
    if not form.match(text):
        raise Hostile(f"'{text[:60]}' is no name of a {kind}.")
