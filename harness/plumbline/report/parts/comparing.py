"""By how much one subject is ahead of another: the paired log ratio of their trials with its t interval (METHOD 2)."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence

from plumbline.model.record import Record, Standing
from plumbline.stats.interval import t_interval
from plumbline.stats.moments import mean

from .numbers import plain


def difference(record: Record, of: Standing, leader: str, other: str) -> str:
    """`41 % less than` with its interval, for the metric and phase of a standing; pairs are trials of one block."""
    logs = _logs(record, of, leader), _logs(record, of, other)
    common = sorted(set(logs[0]) & set(logs[1]))
    if len(common) < 2:
        return "ahead of"
    interval = t_interval([mean(logs[0][block]) - mean(logs[1][block]) for block in common], of.confidence)
    word = "more" if of.better == "higher" else "less"
    centre, *ends = (_percent(value, of.better) for value in (interval.mean, interval.low, interval.high))
    between = sorted(end for end in ends if end is not None)
    if centre is None or not between:
        return "ahead of"
    low, high = (plain(end, 2) for end in between)
    return f"{plain(centre, 2)} % {word} (between {low} and {high} %) than"


def _logs(record: Record, of: Standing, subject: str) -> dict[int, Sequence[float]]:
    logs: dict[int, list[float]] = defaultdict(list)
    for trial in record.trials:
        value = trial.figures.get(of.phase, {}).get(of.metric)
        mine = trial.subject == subject and trial.scenario == of.scenario and trial.role == "measured"
        if mine and trial.verdict != "invalid" and value is not None and value > 0:
            logs[trial.block].append(math.log(value))
    return dict(logs)


def _percent(log_ratio: float | None, better: str) -> float | None:
    """How far ahead, in percent: positive for the better side."""
    if log_ratio is None:
        return None
    change = math.expm1(log_ratio) * 100
    return change if better == "higher" else -change
