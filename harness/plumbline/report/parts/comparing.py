"""By how much one subject is ahead of another: the paired log ratio of their trials with its t interval (METHOD 2)."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence

from plumbline.model.record import Record, Standing
from plumbline.stats.interval import t_interval
from plumbline.stats.moments import mean
from ..view import Name
from .numbers import plain


def difference(record: Record, of: Standing, one: Name, other: Name) -> str:
    """`41 % less than vertx-pg (38 to 44 %)`, for the metric and phase of a standing; pairs are trials of a block."""
    logs = _logs(record, of, one.id), _logs(record, of, other.id)
    common = sorted(set(logs[0]) & set(logs[1]))
    if len(common) < 2:
        return f"how far from {other.short} can't be said, too few blocks have both"
    interval = t_interval([mean(logs[0][block]) - mean(logs[1][block]) for block in common], of.confidence)
    # Read from the side of `one`, so that the sentence never says "-41 % more".
    sign = 1 if interval.mean >= 0 else -1
    changes = [
        sign * math.expm1(value) * 100
        for value in (interval.mean, interval.low, interval.high)
        if value is not None
    ]
    centre, low, high = (plain(value, 2) for value in (changes[0], *sorted(changes[1:])))
    return f"{centre}\u00a0% {'more' if sign > 0 else 'less'} than {other.short} ({low} to {high}\u00a0%)"


def _logs(record: Record, of: Standing, subject: str) -> dict[int, Sequence[float]]:
    logs: dict[int, list[float]] = defaultdict(list)
    for trial in record.trials:
        value = trial.figures.get(of.phase, {}).get(of.metric)
        mine = trial.subject == subject and trial.scenario == of.scenario and trial.role == "measured"
        if mine and trial.verdict != "invalid" and value is not None and value > 0:
            logs[trial.block].append(math.log(value))
    return dict(logs)
