"""Memory by moment and CPU by role: several readings of each subject on one axis."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

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
    """Return means of resident memory; under load means the closed phase, or the first open one."""
    loaded = [phase.name for kind in ("closed", "open") for phase in scenario.phases if phase.kind == kind][
        :1
    ]
    kept = [one for one in tables if one.phase in (*loaded, "start", WHOLE_TRIAL)]
    return _chart("resident memory (RSS), mean of trials", kept, _MEMORY)


def cpu_by_role(scenario: Scenario, tables: Iterable[StandingsView]) -> tuple[PartsChart, ...]:
    """Return what a request costs each role, at full load and at the first open rate."""
    every = list(tables)
    phases = [
        [phase.name for phase in scenario.phases if phase.kind == kind][:1] for kind in ("closed", "open")
    ]
    of_phase = [[one for one in every if one.phase == phase] for (phase,) in filter(None, phases)]
    charts = [_chart(tables[0].where, tables, _ROLES) for tables in of_phase if tables]
    return tuple(chart for chart in charts if chart is not None)


def _chart(where: str, tables: Iterable[StandingsView], labels: Mapping[str, str]) -> PartsChart | None:
    names: dict[str, Name] = {}
    values: dict[str, dict[str, float]] = {}
    unit = ""
    for table in sorted(
        (one for one in tables if one.metric in labels), key=lambda one: list(labels).index(one.metric)
    ):
        unit = table.unit
        for row in (*table.rows, *((table.control,) if table.control else ())):
            if row.mean is not None:
                names[row.name.id] = row.name
                values.setdefault(row.name.id, {})[labels[table.metric]] = row.mean
    if not values:
        return None
    # Subjects by their marks, the control last: the same order in every chart of this kind.
    sorted_ids = sorted(values, key=[*names].index)
    return PartsChart(
        where=where,
        unit=unit,
        labels=tuple(label for label in labels.values() if any(label in its for its in values.values())),
        rows=tuple(Parts(name=names[id_], values=tuple(values[id_].items())) for id_ in sorted_ids),
    )
