"""Damage to made-up evidence, and what the referee says of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from plumbline.model.evidence import (
    Evidence,
    Series,
)
from plumbline.model.plan import Scenario
from plumbline.model.record import Finding
from plumbline.verdicts.judge.facts import SessionFacts, TrialFacts
from plumbline.verdicts.judge.referee import findings_of
from plumbline.verdicts.judge.rules import RULES
from .planned import SUBJECTS, scenario

Change = Callable[[Evidence], Evidence]

# A measured trial in the middle of a session.
NUMBER = 5


def damaged(whole: SessionFacts, number: int, change: Change, scenario: Scenario | None = None) -> SessionFacts:
    """The session with one trial's evidence changed."""
    before = whole.trials[number]
    after = TrialFacts(before.planned, scenario or before.scenario, change(before.evidence))
    return SessionFacts(whole.plan, whole.host, {**whole.trials, number: after}, whole.provenance, whole.builds)


def in_batches(whole: SessionFacts) -> SessionFacts:
    """The session with a batch of study 001 in each request."""
    batch = scenario().model_copy(update={"operation": "GET /benchmark?query=one&count=5000"})
    trials = {number: replace(facts, scenario=batch) for number, facts in whole.trials.items()}
    return replace(whole, trials=trials)


def with_fields(**fields: Any) -> Change:
    """Evidence with other values in some fields."""
    return lambda evidence: evidence.model_copy(update=fields)


def with_column(column: str, change: Callable[[float, float], float] | None) -> Change:
    """Evidence with a column changed by (t_s, value) -> value; None takes the column away."""

    def changed(evidence: Evidence) -> Evidence:
        columns = dict(evidence.series.columns)
        old = columns.pop(column)
        if change is not None:
            columns[column] = tuple(
                None if value is None else change(t_s, value)
                for t_s, value in zip(evidence.series.t_s, old, strict=True)
            )
        return evidence.model_copy(update={"series": Series(t_s=evidence.series.t_s, columns=columns)})

    return changed


def with_load(phase: str, **fields: Any) -> Change:
    """Evidence with other values in the load of one phase."""
    return lambda evidence: evidence.model_copy(
        update={
            "load": tuple(load.model_copy(update=fields) if load.phase == phase else load for load in evidence.load)
        }
    )


def findings(whole: SessionFacts, number: int, rule: str) -> dict[str | None, Finding]:
    """What one rule says of one trial, by phase."""
    rule_of_id = next(candidate for candidate in RULES if candidate.id == rule)
    return {finding.phase: finding for finding in findings_of(rule_of_id, whole.trials[number], whole)}


def measured(whole: SessionFacts, subject: str = SUBJECTS[0]) -> list[int]:
    """The numbers of a subject's measured trials."""
    return [trial.number for trial in whole.plan.trials if trial.subject == subject and trial.role == "measured"]


def first(whole: SessionFacts, subject: str) -> int:
    """The number of a subject's first measured trial."""
    return measured(whole, subject)[0]


def each_measured(whole: SessionFacts, subject: str, change: Change) -> SessionFacts:
    """All measured trials of a subject changed."""
    return _in_all(whole, measured(whole, subject), change)


def each(whole: SessionFacts, subject: str, change: Change) -> SessionFacts:
    """All trials of a subject changed, whatever their role."""
    numbers = [trial.number for trial in whole.plan.trials if trial.subject == subject]
    return _in_all(whole, numbers, change)


def _in_all(whole: SessionFacts, numbers: list[int], change: Change) -> SessionFacts:
    for number in numbers:
        whole = damaged(whole, number, change)
    return whole


def of(whole: SessionFacts, subject: str, rule: str) -> dict[str | None, Finding]:
    """What one rule says of a measured trial of a subject, by phase."""
    return findings(whole, measured(whole, subject)[1], rule)


def both(*changes: Change) -> Change:
    """One change after another."""

    def changed(evidence: Evidence) -> Evidence:
        for change in changes:
            evidence = change(evidence)
        return evidence

    return changed


def with_environment(**fields: Any) -> Change:
    """Evidence with other values in what the application reported of itself, before the load and after it."""

    def change(evidence: Evidence) -> Evidence:
        before, after = ({**(said or {}), **fields} for said in (evidence.environment, evidence.environment_after))
        return evidence.model_copy(update={"environment": before, "environment_after": after})

    return change


def as_native(whole: SessionFacts, subject: str) -> SessionFacts:
    """The session with a native image in the place of a subject's JVM."""
    return in_packaging(whole, subject, "native.graalvm")


def in_packaging(whole: SessionFacts, subject: str, packaging: str) -> SessionFacts:
    """The session with another packaging in the place of a subject's JVM."""
    packaged = subject.replace("/jvm/", f"/{packaging}/")
    trials = {
        number: replace(facts, planned=facts.planned.model_copy(update={"subject": packaged}))
        if facts.planned.subject == subject
        else facts
        for number, facts in whole.trials.items()
    }
    return replace(whole, trials=trials)
