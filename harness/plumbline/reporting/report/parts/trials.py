"""Lists all trials for the view, and chooses the measured trials and the median trial of a scenario."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from statistics import median

from plumbline.model.evidence import Evidence
from plumbline.model.plan import Scenario
from plumbline.model.record import Record, Trial
from plumbline.verdicts.figures.compute import WHOLE_TRIAL
from plumbline.verdicts.figures.metrics import METRICS, WARMING_UP
from plumbline.verdicts.judge.rules import RULES
from ..view import Name, TrialView
from .naming import plain_number, unit_of

# Phase kind and metric of each column in the list of all trials.
_COLUMNS = (
    ("closed", "throughput_per_s"),
    ("closed", "app_cpu_us_per_request"),
    ("start", "first_response_ms"),
    (WHOLE_TRIAL, "rss_peak_bytes"),
)
# Columns of a duet, which has neither closed load nor a start of its own.
_COLUMNS_OF_A_DUET = (
    ("open", "app_cpu_us_per_request"),
    ("open", "latency_p50_ms"),
    (WHOLE_TRIAL, "rss_peak_bytes"),
)
_TITLES: dict[str | None, str] = {None: "The trial did not reach its end", **{rule.id: rule.title for rule in RULES}}


def measured_trials(record: Record, scenario: Scenario) -> list[Trial]:
    """Return the measured trials of a scenario, invalid ones among them."""
    return [trial for trial in record.trials if trial.scenario == scenario.id and trial.role == "measured"]


def by_proof(trials: Iterable[Trial], phase: str, where: str) -> tuple[tuple[str, list[Trial]], ...]:
    """Return the trials in two parts, each with the place that its latencies are of: trials that were proven to be of a
    warm program in the phase, and the others.
    """
    proven: list[Trial] = []
    others: list[Trial] = []
    for trial in trials:
        # A phase of a warm program has this figure; another phase has it under another name.
        (proven if "latency_mean_ms" in trial.figures.get(phase, {}) else others).append(trial)
    return (where, proven), (f"{where}, {WARMING_UP}", others)


def median_trial(trials: list[Trial]) -> Trial | None:
    """Return the median trial by throughput, else by time to the first response; an invalid one if none counts."""
    counting = [trial for trial in trials if trial.verdict != "invalid"] or trials
    if not counting:
        return None
    return sorted(counting, key=lambda trial: (_speed(trial), trial.number))[(len(counting) - 1) // 2]


def columns(record: Record) -> tuple[str, ...]:
    """Return the headings of the figures in the list of all trials."""
    return tuple(f"{METRICS[name].title}, {unit_of(METRICS[name].unit, ()).symbol}" for _, name in _columns(record))


def _columns(record: Record) -> tuple[tuple[str, str], ...]:
    comparison = record.plan.comparison
    return _COLUMNS_OF_A_DUET if comparison is not None and comparison.design == "duet" else _COLUMNS


def trial_views(record: Record, evidence: Mapping[int, Evidence], names: Mapping[str, Name]) -> tuple[TrialView, ...]:
    """Return all trials in the order in which they ran."""
    kinds = {(scenario.id, phase.name): phase.kind for scenario in record.plan.scenarios for phase in scenario.phases}
    return tuple(
        TrialView(
            number=trial.number,
            block=trial.block,
            role=trial.role,
            name=names[trial.subject],
            scenario=trial.scenario,
            verdict=trial.verdict,
            figures=tuple(_figure(trial, kinds, kind, metric) for kind, metric in _columns(record)),
            reasons=tuple(reasons_of(trial, evidence.get(trial.number))),
            side=trial.side or "",
        )
        for trial in record.trials
    )


def title_of(rule: str | None) -> str:
    """Return the title of a rule, or of a failure; a record may hold rules of another version."""
    return _TITLES.get(rule, "a rule that this version does not know")


def reasons_of(trial: Trial, evidence: Evidence | None) -> list[str]:
    """Return why a trial is invalid, in words; nothing for trials that count."""
    if trial.verdict != "invalid":
        return []
    reasons = [] if evidence is None or evidence.failure is None else [evidence.failure.problem]
    reasons += [f"{finding.rule}: {finding.reading}" for finding in trial.findings if finding.outcome == "invalid"]
    return reasons or ["The record names no reason."]


def _figure(trial: Trial, kinds: Mapping[tuple[str, str], str], kind: str, metric: str) -> str:
    values = [
        figures[metric]
        for phase, figures in trial.figures.items()
        if kinds.get((trial.scenario, phase), phase) == kind and metric in figures
    ]
    return plain_number(values[0] / unit_of(METRICS[metric].unit, ()).per) if values else ""


def _speed(trial: Trial) -> float:
    rates = [figures["throughput_per_s"] for figures in trial.figures.values() if "throughput_per_s" in figures]
    return median(rates) if rates else -trial.figures.get("start", {}).get("first_response_ms", 0.0)
