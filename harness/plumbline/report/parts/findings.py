"""Groups the findings: by reason for trials that are invalid or in doubt, and by rule for all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from plumbline.judge.wording import counted
from plumbline.model.evidence import Evidence
from plumbline.model.record import GRAVITY, Finding, Outcome, Record, Trial
from ..view import Name, Reason, RuleView
from .trials import title_of

# Readings of invalid trials that are told one by one.
MOST_READINGS = 5


def reasons(
    record: Record, evidence: Mapping[int, Evidence], names: Mapping[str, Name]
) -> tuple[Reason, ...]:
    """Return invalid first, then warnings, each by how many trials it concerns; one entry for each rule and outcome."""
    grouped: dict[tuple[str | None, Outcome], list[tuple[Trial, str]]] = {}
    for trial in record.trials:
        if trial.role != "discarded":
            for rule, outcome, reading in _said(trial, evidence.get(trial.number)):
                grouped.setdefault((rule, outcome), []).append((trial, reading))
    found = [
        Reason(
            rule=rule,
            title="The trial did not reach its end" if rule is None else title_of(rule),
            outcome=outcome,
            trials=_by_subject([trial for trial, _ in said], names),
            readings=_readings(said, MOST_READINGS if outcome == "invalid" else 1),
        )
        for (rule, outcome), said in grouped.items()
    ]
    return tuple(
        sorted(found, key=lambda one: (GRAVITY.index(one.outcome), -sum(len(its) for _, its in one.trials)))
    )


def _by_subject(
    trials: Sequence[Trial], names: Mapping[str, Name]
) -> tuple[tuple[Name, tuple[int, ...]], ...]:
    numbers: dict[str, set[int]] = {}
    for trial in trials:
        numbers.setdefault(trial.subject, set()).add(trial.number)
    order = sorted(numbers, key=[*names].index)
    return tuple((names[id_], tuple(sorted(numbers[id_]))) for id_ in order)


def _readings(said: Sequence[tuple[Trial, str]], most: int) -> tuple[str, ...]:
    """Return the first readings that differ, each with the trial it is of; how many more there are is said."""
    first = {reading: trial.number for trial, reading in reversed(said)}
    kept = sorted((number, reading) for reading, number in first.items())
    more = [f"(and {counted(len(kept) - most, 'more reading')} of this kind)"] if len(kept) > most else []
    return (*(f"Trial {number}: {reading}" for number, reading in kept[:most]), *more)


def rules(record: Record) -> tuple[RuleView, ...]:
    """Return every rule that was asked, in the order of the record; a trial counts with its worst phase."""
    by_rule: dict[str, dict[int, list[Finding]]] = {}
    for trial in record.trials:
        if trial.role != "discarded":
            for finding in trial.findings:
                by_rule.setdefault(finding.rule, {}).setdefault(trial.number, []).append(finding)
    return tuple(_rule(rule, list(trials.values())) for rule, trials in by_rule.items())


def _rule(rule: str, trials: list[list[Finding]]) -> RuleView:
    worst = [min(findings, key=lambda one: GRAVITY.index(one.outcome)) for findings in trials]
    gravest = min(worst, key=lambda one: GRAVITY.index(one.outcome))
    counts = Counter(finding.outcome for finding in worst)
    return RuleView(
        id=rule,
        title=title_of(rule),
        worst=gravest.outcome,
        counts={outcome: counts[outcome] for outcome in GRAVITY if counts[outcome]},
        reading=gravest.reading,
    )


def _said(trial: Trial, evidence: Evidence | None) -> list[tuple[str | None, Outcome, str]]:
    said: list[tuple[str | None, Outcome, str]] = []
    if evidence is not None and evidence.failure is not None:
        said.append((None, "invalid", f"In the phase {evidence.failure.phase}: {evidence.failure.problem}"))
    return said + [
        (one.rule, one.outcome, one.reading) for one in trial.findings if one.outcome in ("invalid", "warn")
    ]
