"""Standings of a metric as a report shows them: figures in the unit that fits, and the sentences of their classes."""

from __future__ import annotations

from collections.abc import Mapping

from plumbline.archive.record.claim import (
    MOST_NAMED,
    behind,
    equivalent,
    headline,
    in_short,
    of_class,
    result_sentences,
)
from plumbline.archive.record.standings import CONFIDENCE, MetricStandings
from plumbline.model.data_access import TITLES, AccessClass
from plumbline.model.plan import Scenario
from plumbline.model.record import Standing
from plumbline.verdicts.figures.metrics import WARMING_UP, Metric
from ..view import Group, Name, Row, StandingsView
from .naming import DisplayUnit, phase_in_words, unit_of, with_interval


def standings_view(
    standings: MetricStandings | None,
    scenario: Scenario,
    phase: str,
    metric: Metric,
    names: Mapping[str, Name],
) -> StandingsView | None:
    """Return the view of the standings of a metric of a phase; None where no trial that counts has the figure."""
    if standings is None or all(row.mean is None for row in standings.everybody):
        return None
    unit = unit_of(metric.unit, [row.mean for row in standings.everybody if row.mean is not None])
    control = standings.control
    # A POST as a multiple of a GET compares nothing.
    comparable = control is not None and not control.warming_up and scenario.control_operation is None
    control_mean = control.mean if control is not None and comparable else None
    measured = [row for row in standings.rows if row.mean is not None]
    unsteady = bool(measured) and all(row.warming_up for row in measured)
    classes = standings.classes

    def name(subject: str) -> str:
        return names[subject].short

    return StandingsView(
        phase=phase,
        metric=metric.name,
        title=f"{metric.title} {WARMING_UP}" if unsteady else metric.title,
        where=phase_in_words(scenario, phase),
        unit=unit.symbol,
        per=unit.per,
        better=metric.better or "",
        sound=metric.sound_on_small,
        confidence=CONFIDENCE,
        headline=headline(standings, name),
        sentence=result_sentences(standings, name),
        groups=tuple(_group(standings, access, names, unit, control_mean) for access in classes),
        control=None
        if control is None or control.mean is None
        else _row(standings, control, names, unit, control_mean),
        warming_up=unsteady,
    )


def _group(
    standings: MetricStandings,
    access: AccessClass,
    names: Mapping[str, Name],
    unit: DisplayUnit,
    control_mean: float | None,
) -> Group:
    def name(subject: str) -> str:
        return names[subject].short

    members = standings.of_class(access)
    rows = tuple(_row(standings, row, names, unit, control_mean) for row in members)
    leaders = [row for row in members if row.rank == 1]
    leading_rows = [row for row in rows if row.rank == 1 or (len(rows) == 1 and not row.warming_up)]
    leader_figures = [row.text for row in leading_rows if row.mean is not None]
    proven_equivalent = len(leaders) > 1 and equivalent(standings, leaders)
    if len(leader_figures) > MOST_NAMED:
        leader_figures = [f"from {leader_figures[0]}"]
    return Group(
        title=TITLES[access] if len(standings.classes) > 1 else "",
        answer=in_short(standings, access, name),
        figure=f"{'; '.join(leader_figures)} {unit.symbol}" if leader_figures else "",
        sentence=of_class(standings, access, name),
        rows=rows,
        decided=len(members) > 1 and (len(leaders) == 1 or proven_equivalent),
    )


def _row(
    standings: MetricStandings,
    row: Standing,
    names: Mapping[str, Name],
    unit: DisplayUnit,
    control_mean: float | None,
) -> Row:
    mean, low, high = (None if value is None else value / unit.per for value in (row.mean, row.low, row.high))
    leader_and_lead = behind(standings, row)
    without = "no figure" if standings.trials.counting[row.subject] else "no trial counts"
    return Row(
        name=names[row.subject],
        rank=row.rank,
        tied=row.rank is not None
        and [member.rank for member in standings.of_class(row.data_access or "unknown")].count(row.rank) > 1,
        mean=mean,
        low=low,
        high=high,
        text=without if mean is None else with_interval(mean, low, high),
        ratio=None if row.mean is None or not control_mean or row.warming_up else row.mean / control_mean,
        trials=row.trials,
        left_out=row.invalid_trials,
        gap="" if leader_and_lead is None else leader_and_lead[1].partition(" (")[0],
        warming_up=row.warming_up,
    )
