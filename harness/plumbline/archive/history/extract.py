"""Extract what history needs from a record: time, host, environment, and each subject's value of each watched metric.

The extract of a comparison has no values, and so is in no series; nor has that of a session of the suite `aa`, whose
phases are shorter than those of a night. A session of simulated figures has series, for a data branch that holds
nothing else, and says nothing about noise.
"""

from __future__ import annotations

import hashlib
import json
import math
import random
from collections.abc import Collection, Sequence
from operator import attrgetter
from typing import Literal

from plumbline.archive.record.steadiness import drift_of, row_of
from plumbline.archive.record.units import better_of
from plumbline.model.base import Frozen
from plumbline.model.comparison import Side
from plumbline.model.data_access import AccessClass
from plumbline.model.host import HostClass
from plumbline.model.plan import COUNTED, Plan, Scenario
from plumbline.model.record import Record, Trial
from plumbline.model.subject import current_value_name
from plumbline.verdicts.figures.metrics import METRICS, WARMING, Metric
from plumbline.verdicts.figures.series import rounded
from plumbline.verdicts.stats.compare import MINIMUM_PAIRS, Better, PairedComparison, compare
from plumbline.verdicts.stats.drift import Drift
from plumbline.verdicts.stats.families import family, holm
from plumbline.verdicts.stats.places import Scatter, pooled, scatter, scatter_of_one
from plumbline.verdicts.stats.ranking import pair_of

# Besides the primary metrics: memory, which creeps up from release to release and scatters little. Each further
# metric is another chance of a false candidate.
ALSO_WATCHED = frozenset({"rss_idle_bytes", "rss_under_load_bytes"})

AGAINST_ITSELF = "aa"
"""The suite of bench.toml that measures one subject, whose trials are read as those of two."""

PHASES = "phases"
"""The component of the environment that belongs to the suite, and not to the host."""

RATE = "rate_of_open_load"
"""The component that only the figures of open load have: requests wait longer at a higher rate."""

Values = dict[str, dict[str, dict[str, dict[str, float]]]]
"""subject -> scenario -> phase -> metric -> geometric mean over the trials that are not invalid."""


class Extract(Frozen):
    """The extract of a session. `environment` are the components whose change starts a segment, and so are `rates`
    for the phases of open load (scenario -> phase -> rate in words); `labels` name what is measured.

    `data_access` is scenario -> subject -> the class within which it is compared there. `left_out` is metric -> why
    the session has no value of it.
    `scatter` is scenario -> phase -> metric -> [squares, degrees of freedom] of one trial's log value, in a `duet` of
    one beside another; `equal_sides` are the verdicts of a session that compared a subject with itself.
    """

    form: Literal[9] = 9
    session: str
    t: str
    host: str
    commit: str | None
    control: str
    environment: dict[str, str]
    rates: dict[str, dict[str, str]]
    labels: dict[str, dict[str, str]]
    data_access: dict[str, dict[str, AccessClass]]
    values: Values
    left_out: dict[str, str]
    duet: bool
    scatter: dict[str, dict[str, dict[str, list[float | int]]]]
    equal_sides: dict[str, str]

    def environment_of(self, scenario: str, phase: str) -> dict[str, str]:
        """Return the components in which sessions have to be equal for the figures of a phase to be compared."""
        rate = self.rates.get(scenario, {}).get(phase)
        return self.environment if rate is None else {**self.environment, RATE: rate}


def watched(metric: Metric, host_class: HostClass) -> bool:
    """Return whether a metric has a series on hosts of a class."""
    chosen = metric.primary or metric.name in ALSO_WATCHED
    return chosen and metric.better is not None and (metric.sound_on_small or host_class != "small")


FOLLOWED = tuple(name for name, metric in METRICS.items() if watched(metric, "lab"))
"""The metrics that have a series on some host."""


def extract(record: Record) -> Extract:
    """Return the part of a record that history reads."""
    plan = record.plan
    metrics = {name for name, metric in METRICS.items() if watched(metric, plan.host_class)}
    primary = {name for name in metrics if METRICS[name].primary}
    is_night = plan.comparison is None and plan.suite != AGAINST_ITSELF
    values = _values(record.trials, metrics) if is_night else {}
    return Extract(
        session=plan.session,
        t=record.provenance.started_at,
        host=record.host.name,
        commit=record.provenance.commit,
        control=plan.control,
        environment=environment(record),
        rates=_rates(record),
        labels={subject: _labels(record, subject) for subject in (*plan.subjects, plan.control)},
        data_access={
            scenario.id: {subject: plan.class_of(subject, scenario) for subject in (*plan.subjects, plan.control)}
            for scenario in plan.scenarios
        },
        values=values,
        left_out={name: _why_left_out(record, name) for name in sorted(set(FOLLOWED) - metrics_of(values))},
        duet=plan.comparison is not None and plan.comparison.design == "duet",
        scatter={} if plan.simulated else _primary_scatter(record, primary),
        equal_sides={} if plan.simulated else equal_sides(record, primary),
    )


def environment(record: Record) -> dict[str, str]:
    """Return the components of host, services, load, dataset and control, as words."""
    host, plan, provenance = record.host, record.plan, record.provenance
    return {
        **host.components,
        "host_class": plan.host_class,
        "cpu_model": host.cpu_model,
        "microcode": host.microcode or "unknown",
        "memory_bytes": str(host.memory_bytes),
        "topology": _digest(host.topology.model_dump(mode="json")),
        "kernel": host.kernel,
        "kernel_command_line": host.kernel_command_line,
        "operating_system": host.operating_system,
        "placement": f"{plan.placement} {_digest(plan.sets.model_dump(mode='json'))}",
        "network": plan.network,
        "database": provenance.database,
        "database_settings": _digest(provenance.database_settings),
        "k6": provenance.k6,
        PHASES: _digest(sorted({phases_without_rates(scenario) for scenario in plan.scenarios})),
        "workload": str(record.versions.workload),
        "figures": str(record.versions.figures),
        "control": f"{plan.control} {_artifact(record, plan.control)}",
    }


def phases_without_rates(scenario: Scenario) -> str:
    """Return the phases of a scenario as a text, without rates, which are a matter of the open phases alone."""
    return " ".join(
        f"{phase.name} {phase.least_cycles or phase.cycles}-{phase.cycles}x{phase.duration_s:g}+{phase.pause_s:g}"
        f" {phase.connections}"
        for phase in scenario.phases
    )


def _rates(record: Record) -> dict[str, dict[str, str]]:
    """Return the rate of each open phase; the hosts of a joined session may each have another one."""
    plans = [part.plan for part in record.parts] or [record.plan]
    found: dict[str, dict[str, set[float]]] = {}
    for scenario in (scenario for plan in plans for scenario in plan.scenarios):
        for phase in scenario.phases:
            if phase.kind == "open" and phase.rate_per_s is not None:
                found.setdefault(scenario.id, {}).setdefault(phase.name, set()).add(phase.rate_per_s)
    return {
        scenario: {
            phase: f"{' or '.join(f'{rate:,}' for rate in sorted(rates))} requests/s" for phase, rates in phases.items()
        }
        for scenario, phases in found.items()
    }


def _labels(record: Record, subject: str) -> dict[str, str]:
    artifact = next((artifact for artifact in record.ran if artifact.subject == subject), None)
    has_framework = artifact is not None and artifact.framework is not None and artifact.framework_version is not None
    return {
        "application": _artifact(record, subject),
        **(
            {"framework": f"{artifact.framework} {artifact.framework_version}"}
            if artifact is not None and has_framework
            else {}
        ),
        "jdk": record.provenance.jdk,
        **{f"default {name}": current_value_name(name, value) for name, value in sorted(record.plan.defaults.items())},
    }


def _artifact(record: Record, subject: str) -> str:
    """Return the digest of the artifact that a subject ran, which its id does not name: packagings may share one."""
    return next((artifact.sha256[:12] for artifact in record.ran if artifact.subject == subject), "unknown")


def _primary_scatter(record: Record, metrics: set[str]) -> dict[str, dict[str, dict[str, list[float | int]]]]:
    return {
        scenario: {
            phase: {name: [rounded(part.squares), part.degrees] for name, part in scatter_by_metric.items()}
            for phase, scatter_by_metric in phases.items()
        }
        for scenario, phases in scatters(record, metrics).items()
    }


def _values(trials: tuple[Trial, ...], metrics: set[str]) -> Values:
    logs: dict[str, dict[str, dict[str, dict[str, list[float]]]]] = {}
    for trial in trials:
        if trial.role not in COUNTED or trial.verdict == "invalid":
            continue
        phases = logs.setdefault(trial.subject, {}).setdefault(trial.scenario, {})
        for phase, figures in trial.figures.items():
            for metric, value in figures.items():
                if metric in metrics and value > 0:
                    phases.setdefault(phase, {}).setdefault(metric, []).append(math.log(value))
    return {
        subject: {
            scenario: {
                phase: {name: math.exp(math.fsum(values) / len(values)) for name, values in logs_by_metric.items()}
                for phase, logs_by_metric in phases.items()
            }
            for scenario, phases in scenarios.items()
        }
        for subject, scenarios in logs.items()
    }


def metrics_of(values: Values) -> set[str]:
    """Return the metrics of which there is a value."""
    return {
        metric
        for scenarios in values.values()
        for phases in scenarios.values()
        for metrics in phases.values()
        for metric in metrics
    }


def _why_left_out(record: Record, metric: str) -> str:
    """Return why a session has no value of a metric that history follows."""
    counted = [trial for trial in record.trials if trial.role in COUNTED]
    measured = {name for trial in counted for figures in trial.figures.values() for name in figures}
    if record.plan.comparison is not None:
        return "comparisons are in no series"
    if record.plan.suite == AGAINST_ITSELF:
        return "sessions of one subject against itself are in no series"
    if not watched(METRICS[metric], record.plan.host_class):
        return "on a small host it says too little of the application"
    if metric in measured:
        return "its trials are invalid"
    if WARMING.get(metric) in measured:
        return "the programs may still have been warming up"
    return "it was not measured"


def _digest(value: object) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:12]


Contender = tuple[Side | None, str]
Scatters = dict[str, dict[str, dict[str, Scatter]]]
"""scenario -> phase -> metric -> scatter of one trial's log value"""


def scatters(record: Record, metrics: Collection[str]) -> Scatters:
    """Return the scatter of the measured trials that are not invalid, without the effects of subjects and blocks."""
    found: Scatters = {}
    for (scenario, phase, metric), rows in _logs(record, metrics).items():
        pooled_scatter = pooled([_scatter(rows, group) for group in _groups(record.plan)])
        if pooled_scatter.degrees:
            found.setdefault(scenario, {}).setdefault(phase, {})[metric] = pooled_scatter
    return found


def equal_sides(record: Record, metrics: Collection[str]) -> dict[str, str]:
    """Return the mapping question -> verdict of a session whose two sides are the same; empty for every other session.

    In a session of the suite `aa` on one host, each two trials of the subject in a row make a pair, in the order A B B
    A with a random start by the session's seed; all `metrics` are one family (Holm), and no difference is claimed that
    a drift of the subject could turn round. In a comparison the verdicts are those of its primary questions where both
    sides ran the same bytes with the same settings.
    """
    comparison = record.comparison
    if comparison is not None:
        digests = {(artifact.side, artifact.subject): artifact.sha256 for artifact in record.ran}
        return {
            f"{answer.head_subject} {answer.scenario} {answer.phase} {answer.metric}": answer.verdict
            for answer in comparison.answers
            if answer.primary
            and answer.verdict is not None
            and answer.base_subject == answer.head_subject
            and digests.get(("base", answer.base_subject), "") == digests.get(("head", answer.head_subject))
        }
    if record.plan.suite != AGAINST_ITSELF or len(record.plan.subjects) != 1 or record.parts:
        return {}
    contender: Contender = (None, record.plan.subjects[0])
    questions: dict[str, PairedComparison] = {}
    drifts: dict[str, tuple[Better, Drift | None]] = {}
    for (scenario, phase, metric), rows in _logs(record, metrics).items():
        better = better_of(metric)
        values = _as_pairs([row[contender] for _, row in sorted(rows.items())], record.plan.seed, better)
        if len(values) >= MINIMUM_PAIRS:
            row = row_of(record.steadiness, contender[1], scenario, phase, metric)
            name = f"{scenario} {phase} {metric}"
            questions[name] = compare(values)
            drifts[name] = better, None if row is None else drift_of(row)
    verdicts: dict[str, str] = {}
    for name, adjusted in family(questions, holm).items():
        better, drift = drifts[name]
        verdicts[name] = pair_of(adjusted, better, drift, drift).verdict
    return verdicts


def _as_pairs(values: Sequence[float], seed: int, better: Better) -> list[float]:
    """Return the log ratio of each two values in a row, head over base, above zero where head is better."""
    sign = random.Random(seed).choice((1, -1)) * (1 if better == "higher" else -1)
    pairs = zip(values[0::2], values[1::2], strict=False)
    return [(second - first) * sign * (-1) ** place for place, (first, second) in enumerate(pairs)]


Rows = dict[int, dict[Contender, float]]
"""block -> contender -> log value"""


def _logs(record: Record, metrics: Collection[str]) -> dict[tuple[str, str, str], Rows]:
    found: dict[tuple[str, str, str], Rows] = {}
    for trial in record.trials:
        if trial.role != "measured" or trial.verdict == "invalid":
            continue
        for phase, figures in trial.figures.items():
            for metric, value in figures.items():
                if metric in metrics and value > 0:
                    rows = found.setdefault((trial.scenario, phase, metric), {})
                    rows.setdefault(trial.block, {})[trial.side, trial.subject] = math.log(value)
    return found


def _groups(plan: Plan) -> list[tuple[Contender, ...]]:
    """Return the groups that are compared within a block: the two sides of each contest, or all subjects."""
    if plan.comparison is None:
        return [tuple((None, subject) for subject in plan.subjects)]
    return [(("base", contest.base), ("head", contest.head)) for contest in plan.comparison.contests]


def _scatter(rows: Rows, group: Sequence[Contender]) -> Scatter:
    """Return the scatter of a group. A contender without the figure in some blocks is left out, or those blocks are:
    whichever keeps more degrees of freedom.
    """
    if len(group) == 1:
        return scatter_of_one([row[0] for row in _table(rows, group)])
    most_blocks_first = sorted(group, key=lambda contender: -sum(contender in row for row in rows.values()))
    parts = (scatter(_table(rows, most_blocks_first[:count])) for count in range(2, len(group) + 1))
    return max(parts, key=attrgetter("degrees"))


def _table(rows: Rows, contenders: Sequence[Contender]) -> list[list[float]]:
    return [
        [row[contender] for contender in contenders]
        for _, row in sorted(rows.items())
        if all(contender in row for contender in contenders)
    ]
