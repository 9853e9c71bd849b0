"""A study beside a session of its suite: the ratios of both, and in a word how they relate."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from plumbline.model.evidence import Evidence
from plumbline.model.plan import Scenario
from plumbline.model.record import GRAVITY, Outcome, Record, Trial
from plumbline.verdicts.figures.metrics import WARMING
from plumbline.verdicts.stats.agree import Estimate, unpaired
from plumbline.verdicts.stats.interval import quantile, t_interval
from .published_figures import PublishedQuestion, PublishedRow, PublishedStudy

# The level of the interval of a ratio between two subjects. Standings, which claim orders, have 1 %.
LEVEL = 0.05

AGREES_WITHIN = 1.25
"""The factor within which a ratio on other hardware, of other releases, counts as the same."""

NO_SUBJECT = "not a subject here"

Word = Literal[
    "agrees",
    "larger here",
    "smaller here",
    "a difference here alone",
    "no difference shown here",
    "the other way round",
    "can't tell",
    "",
]
"""How the ratio here relates to the published one; empty where one of the two is missing."""


@dataclass(frozen=True)
class RuleResult:
    """The result of one rule for a row's trials: its worst outcome, how many trials have it, and a reading."""

    rule: str
    outcome: Outcome
    trials: int
    reading: str


@dataclass(frozen=True)
class ReplicatedFigure:
    """A row with its measured figure. `mean` to `high` are in the metric's own unit. Ratios are to `against`, the
    system of another row.

    `counted` says from how many trials the figures are, and `invalid` that all of these trials are invalid: they are
    shown since the study published such a number. Where there is no figure, `missing` says why.
    """

    row: PublishedRow
    against: str | None
    published_ratio: float | None
    missing: str
    mean: float | None = None
    low: float | None = None
    high: float | None = None
    counted: int = 0
    trials: int = 0
    invalid: bool = False
    ratio: float | None = None
    ratio_low: float | None = None
    ratio_high: float | None = None
    word: Word = ""
    rule_results: tuple[RuleResult, ...] = ()


@dataclass(frozen=True)
class Replication:
    """A question with its rows beside what was measured; `scenario` is the id of the scenario that was run."""

    question: PublishedQuestion
    scenario: str
    phase: str
    rows: tuple[ReplicatedFigure, ...]


def replications(study: PublishedStudy, record: Record, evidence: Mapping[int, Evidence]) -> tuple[Replication, ...]:
    """Return every question of the study whose scenario the session ran, with at least one of its subjects."""
    results = []
    for question in study.asked:
        if not {row.subject for row in question.rows} & set(record.plan.subjects):
            continue
        for scenario in record.plan.scenarios:
            phase = _phase(scenario, question.phase)
            if scenario.name == question.scenario and phase is not None:
                results.append(_replication(question, scenario, phase, record, evidence))
    return tuple(results)


def unmeasured(question: PublishedQuestion) -> Replication:
    """Return a question that no session has answered yet: the published figures and their ratios alone."""
    rows = [
        ReplicatedFigure(row, *_published_ratio(question, place), missing="not yet" if row.subject else NO_SUBJECT)
        for place, row in enumerate(question.rows)
    ]
    return Replication(question, question.scenario, "", tuple(rows))


def _reference_place(question: PublishedQuestion, place: int) -> int | None:
    """Return the place of the row that a row is set against; None for the first row."""
    return None if place == 0 else 0 if question.against == "first" else place - 1


def _published_ratio(question: PublishedQuestion, place: int) -> tuple[str | None, float | None]:
    """Return the system that a row is set against, and the published ratio to it."""
    reference = _reference_place(question, place)
    reference_row = None if reference is None else question.rows[reference]
    if reference_row is None:
        return None, None
    return reference_row.system, _ratio(question.rows[place].published, reference_row.published)


def _phase(scenario: Scenario, name_or_kind: str) -> str | None:
    """Return the phase of that name, else the first of that kind."""
    names = [phase.name for phase in scenario.phases]
    if name_or_kind in names:
        return name_or_kind
    return next((phase.name for phase in scenario.phases if phase.kind == name_or_kind), None)


def _replication(
    question: PublishedQuestion,
    scenario: Scenario,
    phase: str,
    record: Record,
    evidence: Mapping[int, Evidence],
) -> Replication:
    rows: list[ReplicatedFigure] = []
    logs: list[list[float]] = []
    for place, row in enumerate(question.rows):
        trials = [
            trial
            for trial in record.trials
            if (trial.subject, trial.scenario, trial.role) == (row.subject, scenario.id, "measured")
        ]
        valid = [trial for trial in trials if trial.verdict != "invalid"]
        values = _values(valid or trials, phase, question.metric)
        logs.append([math.log(value) for value in values if value > 0])
        reference = _reference_place(question, place)
        against, published_ratio = _published_ratio(question, place)
        estimate = None if reference is None else _log_ratio(logs[place], logs[reference])
        interval = t_interval(values) if values else None
        low, high = (None, None) if estimate is None else _interval_ends(estimate)
        ratio = None if estimate is None else math.exp(estimate.effect)
        rows.append(
            ReplicatedFigure(
                row,
                against,
                published_ratio,
                missing="" if values else _missing(row, trials, evidence, phase, question.metric),
                mean=None if interval is None else interval.mean,
                low=None if interval is None else interval.low,
                high=None if interval is None else interval.high,
                counted=len(values),
                trials=len(trials),
                invalid=bool(values) and not valid,
                ratio=ratio,
                ratio_low=low,
                ratio_high=high,
                word=_word(published_ratio, ratio, low, high),
                rule_results=tuple(_result_of_rule(rule, phase, trials) for rule in row.rules if trials),
            )
        )
    return Replication(question, scenario.id, phase, tuple(rows))


def _values(trials: list[Trial], phase: str, metric: str) -> list[float]:
    figures = (trial.figures.get(phase, {}).get(metric) for trial in trials)
    return [value for value in figures if value is not None]


def _missing(row: PublishedRow, trials: list[Trial], evidence: Mapping[int, Evidence], phase: str, metric: str) -> str:
    if row.subject is None:
        return NO_SUBJECT
    if not trials:
        return "not part of this session"
    for trial in trials:
        trial_evidence = evidence.get(trial.number)
        if trial_evidence is not None and trial_evidence.failure is not None:
            return f"{trial_evidence.failure.phase}: {trial_evidence.failure.problem}"
    return "not proven steady" if _values(trials, phase, WARMING.get(metric, "")) else "no trial left this figure"


def _ratio(numerator: float | None, denominator: float | None) -> float | None:
    return None if numerator is None or denominator is None or denominator == 0 else numerator / denominator


def _log_ratio(logs: list[float], reference_logs: list[float]) -> Estimate | None:
    """Return the log ratio of two subjects; a subject with one trial leaves no interval: the error is infinite."""
    if not logs or not reference_logs:
        return None
    if min(len(logs), len(reference_logs)) > 1:
        return unpaired(logs, reference_logs)
    return Estimate(math.fsum(logs) / len(logs) - math.fsum(reference_logs) / len(reference_logs), math.inf, 1)


def _interval_ends(estimate: Estimate) -> tuple[float | None, float | None]:
    if math.isinf(estimate.error):
        return None, None
    half = quantile(estimate.degrees, 1 - LEVEL / 2) * estimate.error
    return math.exp(estimate.effect - half), math.exp(estimate.effect + half)


def _word(published: float | None, ratio: float | None, low: float | None, high: float | None) -> Word:
    """Return `agrees` for a narrow interval around the published ratio, a difference for an interval beside the ratio.

    A wide interval around the published ratio claims nothing: ratios that can't be told apart need not be the same.
    """
    if published is None or ratio is None:
        return ""
    if low is None or high is None:
        return "can't tell"
    if published / AGREES_WITHIN <= low and high <= published * AGREES_WITHIN:
        return "agrees"
    if low <= published <= high:
        return "can't tell"
    if low <= 1 <= high:
        return "no difference shown here"
    if published == 1:
        return "a difference here alone"
    if (ratio - 1) * (published - 1) < 0:
        return "the other way round"
    return "larger here" if abs(math.log(ratio)) > abs(math.log(published)) else "smaller here"


def _result_of_rule(rule: str, phase: str, trials: list[Trial]) -> RuleResult:
    """Return the worst outcome of a rule on a phase or on the whole trial."""
    outcomes = [
        (finding.outcome, trial.number, finding.reading)
        for trial in trials
        for finding in trial.findings
        if finding.rule == rule and finding.phase in (None, phase)
    ]
    if not outcomes:
        return RuleResult(rule, "unknown", 0, "It was not asked.")
    worst = min((outcome for outcome, _, _ in outcomes), key=GRAVITY.index)
    worst_findings = [(number, reading) for outcome, number, reading in outcomes if outcome == worst]
    return RuleResult(rule, worst, len({number for number, _ in worst_findings}), worst_findings[0][1])
