"""What the referee found, grouped: by reason for trials that are invalid or in doubt, and by rule for all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from plumbline.model.evidence import Evidence
from plumbline.model.finding import Finding, Outcome
from plumbline.model.record import Record, Trial

from ..view import Name, Reason, RuleView
from .trials import title_of

_GRAVITY: tuple[Outcome, ...] = ("invalid", "warn", "unknown", "pass", "n/a")


def reasons(record: Record, evidence: Mapping[int, Evidence], names: Mapping[str, Name]) -> tuple[Reason, ...]:
    """Invalid first, then warnings; one entry for each rule, subject and scenario, with the trials it concerns."""
    grouped: dict[tuple[str | None, Outcome, str, str], list[tuple[int, str]]] = {}
    for trial in record.trials:
        if trial.role == "discarded":
            continue
        for rule, outcome, reading in _said(trial, evidence.get(trial.number)):
            key = (rule, outcome, trial.subject, trial.scenario)
            grouped.setdefault(key, []).append((trial.number, reading))
    found = [
        Reason(
            rule=rule,
            title="The trial did not reach its end" if rule is None else title_of(rule),
            outcome=outcome,
            subject=names[subject],
            scenario=scenario,
            trials=tuple(sorted({number for number, _ in said})),
            reading=said[0][1],
        )
        for (rule, outcome, subject, scenario), said in grouped.items()
    ]
    return tuple(sorted(found, key=lambda one: (_GRAVITY.index(one.outcome), -len(one.trials), one.trials)))


def rules(record: Record) -> tuple[RuleView, ...]:
    """Every rule that was asked, in the order of the record; a trial counts with its worst phase."""
    by_rule: dict[str, dict[int, list[Finding]]] = {}
    for trial in record.trials:
        if trial.role != "discarded":
            for finding in trial.findings:
                by_rule.setdefault(finding.rule, {}).setdefault(trial.number, []).append(finding)
    return tuple(_rule(rule, list(trials.values())) for rule, trials in by_rule.items())


def _rule(rule: str, trials: list[list[Finding]]) -> RuleView:
    worst = [min(findings, key=lambda one: _GRAVITY.index(one.outcome)) for findings in trials]
    gravest = min(worst, key=lambda one: _GRAVITY.index(one.outcome))
    counts = Counter(finding.outcome for finding in worst)
    return RuleView(
        id=rule,
        title=title_of(rule),
        worst=gravest.outcome,
        counts={outcome: counts[outcome] for outcome in _GRAVITY if counts[outcome]},
        reading=gravest.reading,
    )


def _said(trial: Trial, evidence: Evidence | None) -> list[tuple[str | None, Outcome, str]]:
    said: list[tuple[str | None, Outcome, str]] = []
    if evidence is not None and evidence.failure is not None:
        said.append((None, "invalid", f"In the phase {evidence.failure.phase}: {evidence.failure.problem}"))
    return said + [(one.rule, one.outcome, one.reading) for one in trial.findings if one.outcome in ("invalid", "warn")]
