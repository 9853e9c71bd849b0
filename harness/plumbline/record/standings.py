"""Who stands where: each primary metric of each phase, over the trials that are not invalid."""

from __future__ import annotations

from collections.abc import Sequence

from plumbline.figures.metrics import METRICS, Metric
from plumbline.figures.rounding import rounded
from plumbline.model.plan import COUNTED, Plan, Scenario
from plumbline.model.record import Standing, Trial
from plumbline.model.subject import Subject
from plumbline.stats.interval import CONFIDENCE, t_interval
from plumbline.stats.ties import ranks

SLOWED_ON_PURPOSE = "spin"
"""The setting whose subjects are tests of the method, and stand nowhere."""


def standings(plan: Plan, trials: Sequence[Trial]) -> tuple[Standing, ...]:
    """By scenario, phase and metric, then by rank and mean. The control stands last and has no rank of its own."""
    found: list[Standing] = []
    for scenario in plan.scenarios:
        for phase in scenario.phases:
            for metric in METRICS.values():
                if metric.primary and metric.better is not None:
                    found += of_metric(plan, scenario, phase.name, metric, trials)
    return tuple(found)


def of_metric(
    plan: Plan, scenario: Scenario, phase: str, metric: Metric, trials: Sequence[Trial]
) -> list[Standing]:
    of_scenario = [
        trial
        for trial in trials
        if trial.scenario == scenario.id and trial.role in COUNTED and _stands(trial.subject)
    ]
    if not any(metric.name in trial.figures.get(phase, {}) for trial in of_scenario):
        return []
    takers = {one.subject for one in plan.trials if one.scenario == scenario.id}
    values: dict[str, dict[int, list[float]]] = {
        subject: {} for subject in (*plan.subjects, plan.control) if _stands(subject) and subject in takers
    }
    for trial in of_scenario:
        value = trial.figures.get(phase, {}).get(metric.name)
        if value is not None and trial.verdict != "invalid":
            values.setdefault(trial.subject, {}).setdefault(trial.block, []).append(value)
    assert metric.better is not None
    contenders = {subject: blocks for subject, blocks in values.items() if subject != plan.control}
    place = ranks(contenders, metric.better)
    rows = []
    for subject, blocks in values.items():
        its = [value for _, in_block in sorted(blocks.items()) for value in in_block]
        interval = t_interval(its) if its else None
        rows.append(
            Standing(
                scenario=scenario.id,
                phase=phase,
                metric=metric.name,
                better=metric.better,
                subject=subject,
                trials=len(its),
                invalid_trials=sum(
                    trial.verdict == "invalid" for trial in of_scenario if trial.subject == subject
                ),
                mean=None if interval is None else rounded(interval.mean),
                low=None if interval is None or interval.low is None else rounded(interval.low),
                high=None if interval is None or interval.high is None else rounded(interval.high),
                confidence=CONFIDENCE,
                rank=place.get(subject),
            )
        )
    sign = -1 if metric.better == "higher" else 1
    return sorted(
        rows,
        key=lambda row: (
            row.subject == plan.control,
            row.rank is None,
            row.rank or 0,
            row.mean is None,
            sign * (row.mean or 0.0),
            row.subject,
        ),
    )


def _stands(subject: str) -> bool:
    return SLOWED_ON_PURPOSE not in Subject.parse(subject).settings
