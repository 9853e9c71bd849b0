"""Makes the timeline of one trial: rate, CPU by set, memory and garbage collection, second by second."""

from __future__ import annotations

from collections.abc import Iterable

from plumbline.model.evidence import Evidence
from plumbline.model.host import CpuSets, Role
from plumbline.model.record import Record, Trial
from plumbline.model.subject import slug_of
from plumbline.reporting.report.parts.curves import bands, cpu_use, growth, memory_use, thinned_pieces
from plumbline.reporting.report.view import Band
from ..digest import to_digits
from ..model.runs import Line, Panel, Timeline

_DIGITS = 4
_PLACES = 2
# `cpu.<role>` counts the processes of a role; the processes of the housekeeping set are the harness.
_ROLES: tuple[tuple[Role, str, str], ...] = (
    ("app", "app", "application"),
    ("db", "db", "database"),
    ("load", "load", "load generator"),
    ("housekeeping", "harness", "harness"),
)

Points = list[tuple[float, float]]


def timeline(record: Record, trial: Trial, evidence: Evidence) -> Timeline:
    """Return the timeline document of a trial whose evidence has a series."""
    sets = record.plan.sets_of(record.plan.trial(trial.number))
    return Timeline(
        simulated=record.plan.simulated,
        session=record.plan.session,
        trial=trial.number,
        subject=slug_of(trial.subject),
        scenario=slug_of(trial.scenario),
        end_s=round(evidence.series.t_s[-1], _PLACES),
        bands=tuple(
            rounded(band)
            for band in bands(evidence)
            if (trial.scenario, band.label)
            in {(scenario.id, phase.name) for scenario in record.plan.scenarios for phase in scenario.phases}
        ),
        panels=tuple(panel for panel in _panels(evidence, sets) if panel.lines),
    )


def rounded(band: Band) -> Band:
    """Return the band with its ends to a hundredth of a second."""
    return band.model_copy(update={"start_s": round(band.start_s, _PLACES), "end_s": round(band.end_s, _PLACES)})


def _panels(evidence: Evidence, sets: CpuSets) -> Iterable[Panel]:
    series = evidence.series
    yield Panel(
        name="rate",
        title="Requests",
        symbol="/s",
        lines=_lines(("requests", growth(series, ["load.requests"]))),
    )
    cpu = [(label, cpu_use(series, name, len(sets.of(role)))) for role, name, label in _ROLES]
    yield Panel(name="cpu", title="CPU used, of each set", symbol="%", lines=_lines(*cpu))
    memory = [
        (label, memory_use(series, column))
        for label, column in (
            ("application (RSS)", "app.rss_bytes"),
            ("heap in use", "jvm.heap_used_bytes"),
            ("database (RSS)", "db.rss_bytes"),
        )
    ]
    yield Panel(name="memory", title="Memory", symbol="MiB", lines=_lines(*memory))
    gc_share = [(t_s, used / 1e4) for t_s, used in growth(series, ["jvm.gc_us"])]
    yield Panel(name="gc", title="Time in garbage collection", symbol="%", lines=_lines(("collection", gc_share)))


def _lines(*labelled_points: tuple[str, Points]) -> tuple[Line, ...]:
    return tuple(
        Line(
            label=label,
            pieces=tuple(
                tuple([(round(t_s, _PLACES), to_digits(value, _DIGITS)) for t_s, value in piece])
                for piece in thinned_pieces(points)
            ),
        )
        for label, points in labelled_points
        if points
    )
