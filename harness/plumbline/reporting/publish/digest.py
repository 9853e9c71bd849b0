"""Condenses a session to the facts that pages across sessions need, so small that ten years of nights can be held."""

from __future__ import annotations

import math
from itertools import islice
from typing import NamedTuple

from plumbline.archive.history.extract import Extract, extract
from plumbline.archive.record.names import seconds
from plumbline.archive.record.standings import CONFIDENCE, in_record
from plumbline.model.host import HostClass
from plumbline.model.plan import COUNTED, PhaseKind
from plumbline.model.record import GRAVITY, Outcome, Record, Trial, Verdict
from plumbline.reporting.report.parts.clean import clean_text
from plumbline.reporting.report.parts.naming import phase_in_words
from plumbline.reporting.report.parts.trials import reasons_of
from plumbline.reporting.report.parts.trust import verdict_of_counting
from plumbline.verdicts.figures.metrics import METRICS
from plumbline.verdicts.stats.compare import MINIMUM_PAIRS
from plumbline.verdicts.stats.interval import stratified_interval
from .measures import Bases, bases_of_session

HALF_DIGITS = 3
# The outcomes that count against a trial, the gravest first.
_AGAINST = GRAVITY[: GRAVITY.index("pass")]
REASON_LENGTH = 200
_MOST_PHASES = 50

Phases = dict[str, tuple[tuple[str, PhaseKind, str], ...]]
"""scenario -> name, kind and place in words of each phase"""

Halves = dict[str, dict[str, dict[str, dict[str, float | None]]]]
"""subject -> scenario -> phase -> metric -> half the width of the interval of the logarithm of the extract's value."""


class Digest(NamedTuple):
    """The digest of one session. `word` is the verdict on the measured trials that count.

    `worst`, `counts` and `gaps` are by subject and scenario; `counts` is how many trials count.

    `gaps` gives the reason where every trial of a subject in a scenario was refused. `unsteady` gives the reason where
    no trial that counts has a figure that was proven steady: subject -> scenario -> phase -> metric -> reason. `bases`
    says by which measures a subject has a rank or a figure; `phases` has the phases of each scenario. `frameworks` has
    the framework that each subject stated, `releases` the framework with its release. `outcomes` counts the trials that
    a rule refused, doubted or could not judge, by the gravest outcome: rule -> outcome -> trials. The digest of a
    comparison of two sides has no values: its sides are not the subjects that are measured night by night.
    """

    session: str
    t: int
    host: str
    host_class: HostClass
    suite: str
    comparison: bool
    verdict: Verdict
    word: Verdict
    commit: str | None
    simulated: bool
    trials: int
    measured: int
    refused: int
    scenarios: tuple[str, ...]
    subjects: tuple[str, ...]
    counting: tuple[str, ...]
    frameworks: dict[str, str]
    releases: dict[str, str]
    extract: Extract
    halves: Halves
    worst: dict[str, dict[str, Verdict]]
    counts: dict[str, dict[str, int]]
    gaps: dict[str, dict[str, str]]
    unsteady: dict[str, dict[str, dict[str, dict[str, str]]]]
    bases: Bases
    phases: Phases
    environment: dict[str, str]
    outcomes: dict[str, dict[str, int]]


def digest(record: Record) -> Digest:
    """Return the digest of a record whose names were checked."""
    plan = record.plan
    extracted = extract(record)
    measured = [trial for trial in record.trials if trial.role == "measured"]
    worst, counts, gaps = _verdicts(record.trials) if plan.comparison is None else ({}, {}, {})
    environment = {name: clean_text(value) for name, value in extracted.environment.items()}
    cleaned = _cleaned(extracted, environment)
    return Digest(
        session=plan.session,
        t=seconds(record.provenance.started_at),
        host=record.host.name,
        host_class=record.host.host_class,
        suite=plan.suite,
        comparison=plan.comparison is not None,
        verdict=record.verdict,
        word=verdict_of_counting(measured),
        commit=record.provenance.commit,
        simulated=plan.simulated,
        trials=len(record.trials),
        measured=len(measured),
        refused=sum(trial.verdict == "invalid" for trial in measured),
        scenarios=tuple(scenario.id for scenario in plan.scenarios),
        subjects=(*plan.subjects, plan.control),
        counting=()
        if plan.comparison is not None
        else tuple(sorted({trial.scenario for trial in measured if trial.verdict != "invalid"})),
        frameworks={
            program.subject: clean_text(program.framework).lower()[:40]
            for program in record.ran
            if program.framework is not None
        },
        releases={subject: labels["framework"] for subject, labels in cleaned.labels.items() if "framework" in labels},
        extract=cleaned,
        halves=_halves(record, extracted),
        worst=worst,
        counts=counts,
        gaps=gaps,
        unsteady=_unsteady(record) if plan.comparison is None else {},
        bases=bases_of_session(record) if plan.comparison is None else {},
        phases={
            scenario.id: tuple(
                # Without rates that were shares of a capacity: charts and lists show phases of many sessions.
                (phase.name, phase.kind, phase_in_words(scenario.unrated, phase.name))
                for phase in islice(scenario.phases, _MOST_PHASES)
            )
            for scenario in plan.scenarios
        },
        environment=environment,
        outcomes=_outcomes(record.trials),
    )


def _outcomes(trials: tuple[Trial, ...]) -> dict[str, dict[str, int]]:
    outcomes: dict[str, dict[str, int]] = {}
    for trial in trials:
        gravest: dict[str, Outcome] = {}
        for finding in trial.findings if trial.role == "measured" else ():
            if finding.outcome in _AGAINST:
                gravest_so_far = gravest.get(finding.rule, finding.outcome)
                gravest[finding.rule] = min(gravest_so_far, finding.outcome, key=_AGAINST.index)
        for rule, outcome in gravest.items():
            counts = outcomes.setdefault(rule, {})
            counts[outcome] = counts.get(outcome, 0) + 1
    return outcomes


def _cleaned(extracted: Extract, environment: dict[str, str]) -> Extract:
    labels = {
        subject: {clean_text(name)[:80]: clean_text(value)[:200] for name, value in labels_of_subject.items()}
        for subject, labels_of_subject in extracted.labels.items()
    }
    return extracted.model_copy(update={"labels": labels, "environment": environment, "scatter": {}})


LogsByHost = dict[str | None, list[float]]
"""The host that measured, of a joined session -> the logarithms of its values."""


def _halves(record: Record, extracted: Extract) -> Halves:
    host_of = {planned.number: planned.host for planned in record.plan.trials}
    logs: dict[tuple[str, str, str, str], LogsByHost] = {}
    for trial in record.trials:
        if trial.role not in COUNTED or trial.verdict == "invalid":
            continue
        for phase, figures in trial.figures.items():
            for metric, value in figures.items():
                if metric in METRICS and value > 0:
                    by_host = logs.setdefault((trial.subject, trial.scenario, phase, metric), {})
                    by_host.setdefault(host_of.get(trial.number), []).append(math.log(value))
    return {
        subject: {
            scenario: {
                phase: {metric: _half(logs[subject, scenario, phase, metric]) for metric in metrics}
                for phase, metrics in phases.items()
            }
            for scenario, phases in scenarios.items()
        }
        for subject, scenarios in extracted.values.items()
    }


def _half(logs: LogsByHost) -> float | None:
    """Return half the width of the interval, in which hosts are strata, as in standings."""
    if sum(map(len, logs.values())) < MINIMUM_PAIRS:
        return None
    interval = stratified_interval(list(logs.values()), CONFIDENCE)
    return None if interval.high is None else to_digits(interval.high - interval.mean, HALF_DIGITS)


def to_digits(value: float, digits: int) -> float:
    """Return the value rounded to significant digits."""
    return float(format(value, f".{digits}g"))


def _verdicts(
    trials: tuple[Trial, ...],
) -> tuple[dict[str, dict[str, Verdict]], dict[str, dict[str, int]], dict[str, dict[str, str]]]:
    grouped: dict[tuple[str, str], list[Trial]] = {}
    for trial in trials:
        if trial.role in COUNTED:
            grouped.setdefault((trial.subject, trial.scenario), []).append(trial)
    worst: dict[str, dict[str, Verdict]] = {}
    counts: dict[str, dict[str, int]] = {}
    gaps: dict[str, dict[str, str]] = {}
    for (subject, scenario), trials_of_subject in grouped.items():
        if (word := verdict_of_counting(trials_of_subject)) != "invalid":
            worst.setdefault(subject, {})[scenario] = word
            counting = sum(trial.verdict != "invalid" for trial in trials_of_subject)
            counts.setdefault(subject, {})[scenario] = counting
        else:
            reason = reasons_of(trials_of_subject[0], None)[0]
            gaps.setdefault(subject, {})[scenario] = clean_text(reason)[:REASON_LENGTH]
    return worst, counts, gaps


def _unsteady(record: Record) -> dict[str, dict[str, dict[str, dict[str, str]]]]:
    unsteady: dict[str, dict[str, dict[str, dict[str, str]]]] = {}
    for scenario in record.plan.scenarios:
        for phase in scenario.phases:
            for metric in METRICS.values():
                if metric.primary and metric.proven_by is not None:
                    standings = in_record(record, scenario, phase.name, metric)
                    for subject, reason in ({} if standings is None else standings.unsteady).items():
                        phases = unsteady.setdefault(subject, {}).setdefault(scenario.id, {})
                        phases.setdefault(phase.name, {})[metric.name] = clean_text(reason)[:REASON_LENGTH]
    return unsteady


def without_points(full_digest: Digest) -> Digest:
    """Return the digest without the points, for a session whose points lie in the table of all nights."""
    return full_digest._replace(halves={}, extract=full_digest.extract.model_copy(update={"values": {}, "labels": {}}))
