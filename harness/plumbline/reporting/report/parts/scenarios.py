"""Makes one scenario of the view: the standings that lead on this class of host, then all others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from plumbline.archive.record.claim import heading
from plumbline.archive.record.standings import in_record
from plumbline.model.evidence import Evidence
from plumbline.model.plan import Scenario
from plumbline.model.record import Record
from plumbline.verdicts.figures.compute import WHOLE_TRIAL
from plumbline.verdicts.figures.metrics import METRICS
from plumbline.verdicts.judge.wording import counted
from ..view import Name, ScenarioView, StandingsView
from .amounts import cpu_by_role, memory
from .curves import curves, ladders, timelines
from .mix import mixes
from .naming import phases_in_words
from .standings import shown
from .trials import measured_trials
from .trust import steady_words

# The metrics that lead, in this order, where a figure of their own phases exists.
_SOUND_ON_SMALL = (
    "app_cpu_us_per_request",
    "latency_p99_ms",
    "latency_p50_ms",
    "first_response_ms",
    "rss_idle_bytes",
    "rss_peak_bytes",
)
# What a session of any length may say, after start and memory.
_WARM_UP = ("first_10_s_requests", "steady_from_s")
ALWAYS_TOLD = frozenset({"rss_idle_bytes", "rss_peak_bytes", *_WARM_UP})
"""Metrics whose orders a report claims although they are not primary."""
_BOUNDED_ON_SMALL = ("throughput_per_s", "throughput_per_mib")


def scenario_view(
    record: Record, scenario: Scenario, evidence: Mapping[int, Evidence], names: Mapping[str, Name]
) -> ScenarioView:
    """Return the whole part of a report on one scenario."""
    tables = {
        (phase, metric.name): one
        for phase in (*(phase.name for phase in scenario.phases), WHOLE_TRIAL)
        for metric in METRICS.values()
        if metric.better is not None
        and (one := shown(in_record(record, scenario, phase, metric), scenario, phase, metric, names))
        is not None
    }
    small = record.host.host_class == "small"
    lead = _chosen(scenario, tables, (*_SOUND_ON_SMALL, *_WARM_UP), small)
    bounded = _chosen(scenario, tables, _BOUNDED_ON_SMALL, small)
    if not small:
        lead, bounded = (*bounded, *lead), ()
    picked = (*lead, *bounded)
    unsteady = tuple(one for one in picked if one.warming_up)
    lead, bounded = (tuple(one for one in its if not one.warming_up) for its in (lead, bounded))
    return ScenarioView(
        id=scenario.id,
        operation=scenario.operation,
        phases=phases_in_words(scenario),
        lead=lead,
        bounded=bounded,
        limits=_limits(record, scenario, names),
        unsteady=unsteady,
        others=tuple(table for table in tables.values() if table not in picked),
        claims=_claims((*lead, *bounded, *unsteady)),
        heading=heading(record.host.host_class),
        steady=steady_words(record, scenario),
        curves=curves(record, scenario, evidence, names),
        latency=ladders(record, scenario, evidence, names),
        memory=memory(scenario, tables.values()),
        cpu=cpu_by_role(scenario, tables.values()),
        timelines=timelines(record, scenario, evidence, names),
        mixes=mixes(record, scenario, evidence, names),
    )


def _chosen(
    scenario: Scenario, tables: Mapping[tuple[str, str], StandingsView], metrics: Sequence[str], small: bool
) -> tuple[StandingsView, ...]:
    """Return a table for each metric: of the closed phase, else of the modest (small) or highest open rate."""
    rates = sorted(
        (phase for phase in scenario.phases if phase.kind == "open"),
        key=lambda phase: (phase.rate_per_s or 0, phase.rate_share or 0),
        reverse=not small,
    )
    order = [phase.name for phase in scenario.phases if phase.kind != "open"]
    order += [phase.name for phase in rates] + [WHOLE_TRIAL]
    found = []
    for metric in metrics:
        phase = next((phase for phase in order if (phase, metric) in tables), None)
        if phase is not None:
            found.append(tables[phase, metric])
    return tuple(found)


def _claims(tables: Sequence[StandingsView]) -> tuple[StandingsView, ...]:
    """Return the primary metrics, the peak of memory and the metrics that hold for any start; the metric that decides
    most classes comes first.

    The median latency stands for the 99th percentile if there was too little load for that.
    """
    metrics = {one.metric for one in tables}
    fallback = set() if "latency_p99_ms" in metrics else {"latency_p50_ms"}
    chosen = {*fallback, *ALWAYS_TOLD, *(name for name in metrics if METRICS[name].primary)}
    told = [one for one in tables if one.metric in chosen]
    first = max(told, key=lambda one: sum(group.decided for group in one.groups), default=None)
    return tuple(sorted(told, key=lambda one: one is not first))


def _limits(record: Record, scenario: Scenario, names: Mapping[str, Name]) -> tuple[str, ...]:
    """Return what limited the closed phases, as rule R1 read it: a reading for each subject, and how often."""
    said = []
    passed = total = 0
    for subject in record.plan.subjects:
        trials = [one for one in measured_trials(record, scenario) if one.subject == subject]
        found = [one for trial in trials for one in trial.findings if one.rule == "R1"]
        total += len(trials)
        passed += sum(one.outcome == "pass" for one in found)
        readings = [one.reading for one in found if one.outcome in ("warn", "invalid")]
        if readings:
            count = f"{len(readings)} of {counted(len(trials), 'trial')}"
            said.append(f"{names[subject].short}, {count}: {readings[0]}")
    if passed:
        every = f"{passed} of {counted(total, 'trial')}"
        said.append(f"The application itself, {every}: its CPUs were used up.")
    return tuple(said) or ("Not known: rule R1 had no evidence.",)
