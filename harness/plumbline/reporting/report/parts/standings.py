"""Standings of a metric as a report shows them: figures in the unit that fits, and the sentences of their classes."""

from __future__ import annotations

from collections.abc import Mapping

from plumbline.archive.record.claim import MOST_NAMED, behind, equivalent, headline, in_short, of_class, said
from plumbline.archive.record.standings import CONFIDENCE, MetricStandings
from plumbline.model.data_access import TITLES, AccessClass
from plumbline.model.plan import Scenario
from plumbline.model.record import Standing
from plumbline.verdicts.figures.metrics import Metric
from ..view import Group, Name, Row, StandingsView
from .naming import DisplayUnit, unit_of, where, with_interval

WARMING_UP = "while warming up"


def shown(
    found: MetricStandings | None, scenario: Scenario, phase: str, metric: Metric, names: Mapping[str, Name]
) -> StandingsView | None:
    """Return the view of the standings of a metric of a phase; None where no trial that counts has the figure."""
    if found is None or all(row.mean is None for row in found.everybody):
        return None
    unit = unit_of(metric.unit, [row.mean for row in found.everybody if row.mean is not None])
    base = None if found.control is None or found.control.warming_up else found.control.mean
    measured = [row for row in found.rows if row.mean is not None]
    unsteady = bool(measured) and all(row.warming_up for row in measured)
    classes = found.classes

    def name(subject: str) -> str:
        return names[subject].short

    return StandingsView(
        phase=phase,
        metric=metric.name,
        title=f"{metric.title} {WARMING_UP}" if unsteady else metric.title,
        where=where(scenario, phase),
        unit=unit.symbol,
        per=unit.per,
        better=metric.better or "",
        sound=metric.sound_on_small,
        confidence=CONFIDENCE,
        headline=headline(found, name),
        said=said(found, name),
        groups=tuple(_group(found, access, names, unit, base) for access in classes),
        control=None
        if found.control is None or found.control.mean is None
        else _row(found, found.control, names, unit, base),
        warming_up=unsteady,
    )


def _group(
    found: MetricStandings,
    access: AccessClass,
    names: Mapping[str, Name],
    unit: DisplayUnit,
    base: float | None,
) -> Group:
    def name(subject: str) -> str:
        return names[subject].short

    its = found.of_class(access)
    rows = tuple(_row(found, row, names, unit, base) for row in its)
    first = [row for row in its if row.rank == 1]
    figures = [row.text for row in rows if row.rank == 1 or (len(rows) == 1 and not row.warming_up)]
    together = len(first) > 1 and equivalent(found, first)
    if len(figures) > MOST_NAMED:
        figures = [f"from {figures[0]}"]
    return Group(
        title=TITLES[access] if len(found.classes) > 1 else "",
        answer=in_short(found, access, name),
        figure=f"{'; '.join(figures)} {unit.symbol}" if figures else "",
        said=of_class(found, access, name),
        rows=rows,
        decided=len(its) > 1 and (len(first) == 1 or together),
    )


def _row(
    found: MetricStandings, row: Standing, names: Mapping[str, Name], unit: DisplayUnit, base: float | None
) -> Row:
    mean, low, high = (None if value is None else value / unit.per for value in (row.mean, row.low, row.high))
    ahead = behind(found, row)
    return Row(
        name=names[row.subject],
        rank=row.rank,
        tied=row.rank is not None
        and [one.rank for one in found.of_class(row.data_access or "unknown")].count(row.rank) > 1,
        mean=mean,
        low=low,
        high=high,
        text="no trial counts" if mean is None else with_interval(mean, low, high),
        ratio=None if row.mean is None or not base or row.warming_up else row.mean / base,
        trials=row.trials,
        left_out=row.invalid_trials,
        gap="" if ahead is None else ahead[1].partition(" (")[0],
        warming_up=row.warming_up,
    )
