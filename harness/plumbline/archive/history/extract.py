"""Extract what history needs from a record: time, host, environment, and each subject's value of each watched metric.

A comparison is no night: it has no values, and so is in no series. A session of made-up figures has series, for a data
branch of nothing else, and teaches nothing about noise.
"""

from __future__ import annotations

import hashlib
import json
import math
import random
from collections.abc import Collection, Sequence
from typing import Literal

from plumbline.archive.record.steadiness import drift_of, row_of
from plumbline.archive.record.units import better_of
from plumbline.model.base import Frozen
from plumbline.model.comparison import Side
from plumbline.model.data_access import AccessClass
from plumbline.model.host import HostClass
from plumbline.model.plan import COUNTED, Plan
from plumbline.model.record import Record, Trial
from plumbline.model.subject import called_now
from plumbline.verdicts.figures.metrics import METRICS, Metric
from plumbline.verdicts.figures.series import rounded
from plumbline.verdicts.stats.compare import MINIMUM_PAIRS, Better, PairedComparison, compare
from plumbline.verdicts.stats.drift import Drift
from plumbline.verdicts.stats.families import family, holm
from plumbline.verdicts.stats.places import NONE, Scatter, pooled, scatter, scatter_of_one
from plumbline.verdicts.stats.ranking import pair_of

# Besides the primary metrics: memory, which creeps up from release to release and scatters little. Each metric more is
# another chance of a false candidate.
ALSO_WATCHED = frozenset({"rss_idle_bytes", "rss_under_load_bytes"})

Values = dict[str, dict[str, dict[str, dict[str, float]]]]
"""subject -> scenario -> phase -> metric -> geometric mean over the trials that are not invalid."""


class Extract(Frozen):
    """The extract of a session. `environment` are the components whose change starts a segment, `labels` are what is
    measured.

    `data_access` is scenario -> subject -> the class within which it is compared there.
    `scatter` is scenario -> phase -> metric -> [squares, degrees of freedom] of one trial's log value; `equal_sides`
    are the verdicts of a session that compared a subject with itself.
    """

    form: Literal[5] = 5
    session: str
    t: str
    host: str
    commit: str | None
    control: str
    environment: dict[str, str]
    labels: dict[str, dict[str, str]]
    data_access: dict[str, dict[str, AccessClass]]
    values: Values
    scatter: dict[str, dict[str, dict[str, list[float | int]]]]
    equal_sides: dict[str, str]


def watched(metric: Metric, host_class: HostClass) -> bool:
    """Return whether a metric has a series on hosts of a class."""
    chosen = metric.primary or metric.name in ALSO_WATCHED
    return chosen and metric.better is not None and (metric.sound_on_small or host_class != "small")


FOLLOWED = tuple(name for name, one in METRICS.items() if watched(one, "lab"))
"""The metrics that have a series on some host."""


def extract(record: Record) -> Extract:
    """Return the part of a record that history reads."""
    plan = record.plan
    metrics = {name for name, one in METRICS.items() if watched(one, plan.host_class)}
    primary = {name for name in metrics if METRICS[name].primary}
    return Extract(
        session=plan.session,
        t=record.provenance.started_at,
        host=record.host.name,
        commit=record.provenance.commit,
        control=plan.control,
        environment=environment(record),
        labels={subject: _labels(record, subject) for subject in (*plan.subjects, plan.control)},
        data_access={
            one.id: {subject: plan.class_of(subject, one) for subject in (*plan.subjects, plan.control)}
            for one in plan.scenarios
        },
        values=_values(record.trials, metrics) if plan.comparison is None else {},
        scatter={} if plan.simulated else _primary_scatter(record, primary),
        equal_sides={} if plan.simulated else equal_sides(record, primary),
    )


def environment(record: Record) -> dict[str, str]:
    """Return the components of host, services, load, dataset and control, as words."""
    host, plan, made = record.host, record.plan, record.provenance
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
        "database": made.database,
        "database_settings": _digest(made.database_settings),
        "k6": made.k6,
        "workload": str(record.versions.workload),
        "figures": str(record.versions.figures),
        "control": f"{plan.control} {_artifact(record, plan.control)}",
    }


def _labels(record: Record, subject: str) -> dict[str, str]:
    one = next((one for one in record.ran if one.subject == subject), None)
    known = one is not None and one.framework is not None and one.framework_version is not None
    return {
        "application": _artifact(record, subject),
        **({"framework": f"{one.framework} {one.framework_version}"} if one is not None and known else {}),
        "jdk": record.provenance.jdk,
        **{
            f"default {name}": called_now(name, value) for name, value in sorted(record.plan.defaults.items())
        },
    }


def _artifact(record: Record, subject: str) -> str:
    """Return the digest of what the subject ran; its id does not name the artifact, since packagings may share one."""
    return next((one.sha256[:12] for one in record.ran if one.subject == subject), "unknown")


def _primary_scatter(record: Record, metrics: set[str]) -> dict[str, dict[str, dict[str, list[float | int]]]]:
    return {
        scenario: {
            phase: {name: [rounded(part.squares), part.degrees] for name, part in its.items()}
            for phase, its in phases.items()
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
                phase: {name: math.exp(math.fsum(its) / len(its)) for name, its in found.items()}
                for phase, found in phases.items()
            }
            for scenario, phases in scenarios.items()
        }
        for subject, scenarios in logs.items()
    }


def _digest(value: object) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:12]


AGAINST_ITSELF = "aa"
"""The suite of bench.toml that measures one subject, to be read as two."""

Contender = tuple[Side | None, str]
Scatters = dict[str, dict[str, dict[str, Scatter]]]
"""scenario -> phase -> metric -> scatter of one trial's log value"""


def scatters(record: Record, metrics: Collection[str]) -> Scatters:
    """Return the scatter of the measured trials that are not invalid, subjects and blocks taken out."""
    found: Scatters = {}
    for (scenario, phase, metric), rows in _logs(record, metrics).items():
        whole = pooled([_scatter(rows, group) for group in _groups(record.plan)])
        if whole.degrees:
            found.setdefault(scenario, {}).setdefault(phase, {})[metric] = whole
    return found


def equal_sides(record: Record, metrics: Collection[str]) -> dict[str, str]:
    """Return the mapping question -> verdict of a session whose two sides are the same; empty for every other session.

    Of the suite `aa`, on one host, each two trials of the subject in a row make a pair, A B B A with a random start out
    of the session's seed, and all `metrics` are one family (Holm); no difference is claimed that a drift of the subject
    could turn round. Of a comparison it is what it said of its primary questions, where both sides ran the same bytes
    with the same settings.
    """
    compared = record.comparison
    if compared is not None:
        digests = {(one.side, one.subject): one.sha256 for one in record.ran}
        return {
            f"{one.scenario} {one.phase} {one.metric}": one.verdict
            for one in compared.answers
            if one.primary
            and one.verdict is not None
            and one.base_subject == one.head_subject
            and digests.get(("base", one.base_subject), "") == digests.get(("head", one.head_subject))
        }
    if record.plan.suite != AGAINST_ITSELF or len(record.plan.subjects) != 1 or record.parts:
        return {}
    contender: Contender = (None, record.plan.subjects[0])
    asked: dict[str, PairedComparison] = {}
    drifts: dict[str, tuple[Better, Drift | None]] = {}
    for (scenario, phase, metric), rows in _logs(record, metrics).items():
        better = better_of(metric)
        values = _as_pairs([row[contender] for _, row in sorted(rows.items())], record.plan.seed, better)
        if len(values) >= MINIMUM_PAIRS:
            row = row_of(record.steadiness, contender[1], scenario, phase, metric)
            name = f"{scenario} {phase} {metric}"
            asked[name] = compare(values)
            drifts[name] = better, None if row is None else drift_of(row)
    verdicts: dict[str, str] = {}
    for name, one in family(asked, holm).items():
        better, its = drifts[name]
        verdicts[name] = pair_of(one, better, its, its).verdict
    return verdicts


def _as_pairs(values: Sequence[float], seed: int, better: Better) -> list[float]:
    """Return log ratios of values in their order, head over base, above zero where head is better."""
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
                    rows.setdefault(trial.block, {})[_contender(trial)] = math.log(value)
    return found


def _contender(trial: Trial) -> Contender:
    return trial.side, trial.subject


def _groups(plan: Plan) -> list[tuple[Contender, ...]]:
    """Return the groups that are compared within a block: the two sides of each contest, or all subjects."""
    if plan.comparison is None:
        return [tuple((None, subject) for subject in plan.subjects)]
    return [(("base", one.base), ("head", one.head)) for one in plan.comparison.contests]


def _scatter(rows: Rows, group: Sequence[Contender]) -> Scatter:
    table = [
        [row[one] for one in group] for _, row in sorted(rows.items()) if all(one in row for one in group)
    ]
    if len(group) == 1:
        return scatter_of_one([row[0] for row in table])
    return scatter(table) if table else NONE
