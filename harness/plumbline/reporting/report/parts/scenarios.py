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
from .standings import standings_view
from .trials import measured_trials
from .trust import steady_words

# The metrics that lead, in this order, where their phases have a figure.
_SOUND_ON_SMALL = (
    "app_cpu_us_per_request",
    "latency_p99_ms",
    "latency_p50_ms",
    "first_response_ms",
    "rss_idle_bytes",
    "rss_peak_bytes",
)
# The metrics that a session of any length may report, after start and memory.
_WARM_UP = ("first_10_s_requests", "steady_from_s")
ALWAYS_CLAIMED = frozenset({"rss_idle_bytes", "rss_peak_bytes", *_WARM_UP})
"""Metrics whose orders a report claims although they are not primary."""
_BOUNDED_ON_SMALL = ("throughput_per_s", "throughput_per_mib")


def scenario_view(
    record: Record, scenario: Scenario, evidence: Mapping[int, Evidence], names: Mapping[str, Name]
) -> ScenarioView:
    """Return the whole view of one scenario."""
    tables = {
        (phase, metric.name): table
        for phase in (*(phase.name for phase in scenario.phases), WHOLE_TRIAL)
        for metric in METRICS.values()
        if metric.better is not None
        and (table := standings_view(in_record(record, scenario, phase, metric), scenario, phase, metric, names))
        is not None
    }
    small = record.host.host_class == "small"
    lead = _chosen(scenario, tables, (*_SOUND_ON_SMALL, *_WARM_UP), small)
    bounded = _chosen(scenario, tables, _BOUNDED_ON_SMALL, small)
    if not small:
        lead, bounded = (*bounded, *lead), ()
    leading_tables = (*lead, *bounded)
    unsteady = tuple(table for table in leading_tables if table.warming_up)
    lead, bounded = (tuple(table for table in part_tables if not table.warming_up) for part_tables in (lead, bounded))
    return ScenarioView(
        id=scenario.id,
        operation=scenario.operation,
        phases=phases_in_words(scenario),
        lead=lead,
        bounded=bounded,
        limits=_limits(record, scenario, names),
        unsteady=unsteady,
        others=tuple(table for table in tables.values() if table not in leading_tables),
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
    """Return a table for each metric: of the closed phase, else of the lowest (small host) or highest open rate."""
    rates = sorted(
        (phase for phase in scenario.phases if phase.kind == "open"),
        key=lambda phase: (phase.rate_per_s or 0, phase.rate_share or 0),
        reverse=not small,
    )
    order = [phase.name for phase in scenario.phases if phase.kind != "open"]
    order += [phase.name for phase in rates] + [WHOLE_TRIAL]
    chosen = []
    for metric in metrics:
        phase = next((phase for phase in order if (phase, metric) in tables), None)
        if phase is not None:
            chosen.append(tables[phase, metric])
    return tuple(chosen)


def _claims(tables: Sequence[StandingsView]) -> tuple[StandingsView, ...]:
    """Return the tables of the primary metrics, the peak of memory and the metrics that hold for any start. The metric
    that decides most classes comes first.

    The median latency stands for the 99th percentile if there was too little load for that percentile.
    """
    metrics = {table.metric for table in tables}
    fallback = set() if "latency_p99_ms" in metrics else {"latency_p50_ms"}
    chosen = {*fallback, *ALWAYS_CLAIMED, *(name for name in metrics if METRICS[name].primary)}
    claims = [table for table in tables if table.metric in chosen]
    first = max(claims, key=lambda table: sum(group.decided for group in table.groups), default=None)
    return tuple(sorted(claims, key=lambda table: table is not first))


def _limits(record: Record, scenario: Scenario, names: Mapping[str, Name]) -> tuple[str, ...]:
    """Return the limits of the closed phases, as rule R1 read them: a reading for each subject, and how often.

    There are none where no phase is meant to use up the application's CPUs.
    """
    if not any(phase.saturates for phase in scenario.phases):
        return ()
    sentences = []
    passed = total = 0
    for subject in record.plan.subjects:
        trials = [trial for trial in measured_trials(record, scenario) if trial.subject == subject]
        findings = [finding for trial in trials for finding in trial.findings if finding.rule == "R1"]
        total += len(trials)
        passed += sum(finding.outcome == "pass" for finding in findings)
        readings = [finding.reading for finding in findings if finding.outcome in ("warn", "invalid")]
        if readings:
            count = f"{len(readings)} of {counted(len(trials), 'trial')}"
            sentences.append(f"{names[subject].short}, {count}: {readings[0]}")
    if passed:
        share = f"{passed} of {counted(total, 'trial')}"
        sentences.append(f"The application itself, {share}: its CPUs were used up.")
    return tuple(sentences) or ("Not known: rule R1 had no evidence.",)
