"""Makes figures of runs: the mean of a metric over the runs that count, with the harness's usual interval."""

from __future__ import annotations

from collections.abc import Sequence

from plumbline.model.lifecycle import LifecycleFigure, LifecycleRun
from plumbline.verdicts.figures.series import rounded
from plumbline.verdicts.stats.interval import CONFIDENCE, t_interval
from .steps import STEPS


def figures_of(subjects: Sequence[str], runs: Sequence[LifecycleRun]) -> tuple[LifecycleFigure, ...]:
    """Return the figures of each subject by step. The discarded block and failed runs are left out."""
    figures = []
    for subject in subjects:
        for step in STEPS.values():
            step_runs = [run for run in runs if (run.subject, run.step) == (subject, step.name) and run.block > 0]
            failed = sum(run.problem is not None for run in step_runs)
            for metric in step.metrics if step_runs else ():
                values = [run.values[metric] for run in step_runs if metric in run.values]
                if values or failed == len(step_runs):
                    figures.append(_figure(subject, step.name, metric, values, failed))
    return tuple(figures)


def _figure(subject: str, step: str, metric: str, values: Sequence[float], failed: int) -> LifecycleFigure:
    interval = t_interval(values) if values else None
    low, high = (None, None) if interval is None else (interval.low, interval.high)
    return LifecycleFigure(
        subject=subject,
        step=step,
        metric=metric,
        runs=len(values),
        failed_runs=failed,
        mean=None if interval is None else rounded(interval.mean),
        low=None if low is None else rounded(low),
        high=None if high is None else rounded(high),
        confidence=CONFIDENCE,
    )
