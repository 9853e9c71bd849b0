"""Standings of a metric as a report shows them, and the result in one sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from plumbline.figures.metrics import METRICS
from plumbline.judge.wording import listed
from plumbline.model.plan import Scenario
from plumbline.model.record import Record, Standing
from ..view import Name, Row, Standings
from .comparing import difference
from .numbers import Unit, unit_of, with_interval
from .words import where

# More names than this are no sentence any more.
MOST_NAMED = 3


def shown(
    record: Record, scenario: Scenario, standings: Sequence[Standing], names: Mapping[str, Name]
) -> Standings:
    """One metric of one phase. `standings` holds a row a subject, and may hold the control's."""
    metric = METRICS[standings[0].metric]
    unit = unit_of(metric.unit, [row.mean for row in standings if row.mean is not None])
    control = next((row for row in standings if row.subject == record.plan.control), None)
    measured = [row for row in standings if row.subject != record.plan.control]
    ranks = [row.rank for row in measured if row.rank is not None]
    sign = -1 if metric.better == "higher" else 1
    measured.sort(
        key=lambda row: (
            row.rank is None,
            row.rank or 0,
            row.mean is None,
            sign * (row.mean or 0.0),
            row.subject,
        )
    )
    base = None if control is None else control.mean
    rows = tuple(
        _row(row, names, unit, base, tied=row.rank is not None and ranks.count(row.rank) > 1)
        for row in measured
    )
    said, following = _said(record, rows, standings[0])
    return Standings(
        phase=standings[0].phase,
        metric=metric.name,
        title=metric.title,
        where=where(scenario, standings[0].phase),
        unit=unit.symbol,
        better=metric.better or "",
        sound=metric.sound_on_small,
        confidence=standings[0].confidence,
        said=said,
        next=following,
        rows=rows,
        control=None
        if control is None or control.mean is None
        else _row(control, names, unit, base, tied=False),
    )


def leaders(rows: Sequence[Row]) -> tuple[Row, ...]:
    """The rows that share the first rank."""
    return tuple(row for row in rows if row.rank == 1)


def together(rows: Sequence[Row]) -> str:
    """Names in one sentence: all of a few, else the first and how many more."""
    names = [row.name.short for row in rows]
    return listed(names) if len(names) <= MOST_NAMED else f"{names[0]} and {len(names) - 1} others"


def _row(row: Standing, names: Mapping[str, Name], unit: Unit, base: float | None, *, tied: bool) -> Row:
    mean, low, high = (None if value is None else value / unit.per for value in (row.mean, row.low, row.high))
    return Row(
        name=names[row.subject],
        rank=row.rank,
        tied=tied,
        mean=mean,
        low=low,
        high=high,
        text="no trial counts" if mean is None else with_interval(mean, low, high),
        ratio=None if row.mean is None or not base else row.mean / base,
        trials=row.trials,
        left_out=row.invalid_trials,
    )


def _said(record: Record, rows: Sequence[Row], of: Standing) -> tuple[str, str]:
    """The result, and what follows tied leaders."""
    first = leaders(rows)
    ranked = [row for row in rows if row.rank is not None]
    if len(rows) == 1:
        return f"Only {rows[0].name.short} was measured.", ""
    if len(ranked) < 2:
        return "Too few trials count for a comparison.", ""
    if len(first) == len(ranked):
        return f"{together(ranked)} can't be told apart.", ""
    behind = ranked[len(first)].name
    if len(first) == 1:
        return f"{first[0].name.short} leads: {difference(record, of, first[0].name, behind)}.", ""
    said = f"{together(first)} lead, and can't be told apart."
    return said, f"{behind.short} follows: {difference(record, of, behind, first[0].name)}."
