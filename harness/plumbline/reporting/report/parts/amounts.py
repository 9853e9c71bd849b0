"""Memory by moment and CPU by role: several readings of each subject on one axis."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from plumbline.model.plan import Scenario
from plumbline.verdicts.figures.compute import WHOLE_TRIAL
from ..view import Name, Parts, PartsChart, StandingsView

_MEMORY = {
    "rss_idle_bytes": "idle",
    "rss_first_response_bytes": "first response",
    "rss_under_load_bytes": "under load",
    "rss_peak_bytes": "peak",
}
_ROLES = {
    "app_cpu_us_per_request": "application",
    "db_cpu_us_per_request": "database",
    "load_cpu_us_per_request": "load generator",
}


def memory(scenario: Scenario, tables: Iterable[StandingsView]) -> PartsChart | None:
    """Return the mean resident memory by moment; `under load` is the closed phase, or else the first open phase."""
    loaded_phase = [phase.name for kind in ("closed", "open") for phase in scenario.phases if phase.kind == kind][:1]
    memory_tables = [table for table in tables if table.phase in (*loaded_phase, "start", WHOLE_TRIAL)]
    return _chart("resident memory (RSS), mean of trials", memory_tables, _MEMORY)


def cpu_by_role(scenario: Scenario, tables: Iterable[StandingsView]) -> tuple[PartsChart, ...]:
    """Return the CPU time that a request costs each role, at full load and at the first open rate."""
    all_tables = list(tables)
    phases = [[phase.name for phase in scenario.phases if phase.kind == kind][:1] for kind in ("closed", "open")]
    tables_by_phase = [[table for table in all_tables if table.phase == phase] for (phase,) in filter(None, phases)]
    charts = [_chart(tables[0].where, tables, _ROLES) for tables in tables_by_phase if tables]
    return tuple(chart for chart in charts if chart is not None)


def _chart(where: str, tables: Iterable[StandingsView], labels: Mapping[str, str]) -> PartsChart | None:
    names: dict[str, Name] = {}
    values: dict[str, dict[str, float]] = {}
    unit = ""
    for table in sorted(
        (table for table in tables if table.metric in labels),
        key=lambda table: list(labels).index(table.metric),
    ):
        unit = table.unit
        for row in (*table.rows, *((table.control,) if table.control else ())):
            if row.mean is not None:
                short = f"{row.name.short}, {row.place}" if row.warming_up else row.name.short
                names[row.name.id] = replace(row.name, short=short)
                values.setdefault(row.name.id, {})[labels[table.metric]] = row.mean
    if not values:
        return None
    # Subjects by their marks, the control last: the same order in every chart of this kind.
    sorted_ids = sorted(values, key=[*names].index)
    return PartsChart(
        where=where,
        unit=unit,
        labels=tuple(label for label in labels.values() if any(label in readings for readings in values.values())),
        rows=tuple(Parts(name=names[id_], values=tuple(values[id_].items())) for id_ in sorted_ids),
    )
