"""Rank subjects by each metric of each phase, by class of data access, over the trials that are not invalid.

This is the one place that decides an order. Reports, pages, badges, pictures and comments write down what it says.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Generic, TypeVar

from plumbline.figures.metrics import METRICS, WARMING, Metric
from plumbline.figures.series import rounded
from plumbline.model.data_access import AccessClass
from plumbline.model.plan import COUNTED, Plan, Scenario
from plumbline.model.record import Record, Standing, Steadiness, Trial
from plumbline.stats.compare import LEVEL, MINIMUM_PAIRS, Better
from plumbline.stats.drift import Drift
from plumbline.stats.interval import Interval, stratified_interval
from plumbline.stats.ranking import ByBlock, RankedPair, Ranking, ranking
from plumbline.stats.wording import ratio
from .steadiness import drift_of, proofs_of

T = TypeVar("T")

SLOWED_ON_PURPOSE = "spin"
"""Subjects with this setting test the method, and are in no standings."""

_STEADY = "R29"

CONFIDENCE = 1 - LEVEL
"""The confidence of the interval of every mean. Orders are decided at the same level."""

_CLASSES: tuple[AccessClass, ...] = ("orm", "sql", "none", "unknown")


@dataclass(frozen=True)
class MetricStandings:
    """All subjects by one metric of one phase.

    `rows` are by class, rank and mean, each class in a run of its own; `control` has no rank. `unsteady` is subject ->
    why its figures are of a program that may still have been warming up: those have no rank, and no comparison.
    `drifts` are how far those of the others may still drift, as far as the record says. `values` are those of the
    trials that count, by subject.
    """

    rows: tuple[Standing, ...]
    control: Standing | None
    rankings: Mapping[AccessClass, Ranking]
    unsteady: Mapping[str, str]
    drifts: Mapping[str, Drift]
    values: Mapping[str, ByBlock]
    better: Better

    @property
    def everybody(self) -> tuple[Standing, ...]:
        """The rows and the control."""
        return self.rows if self.control is None else (*self.rows, self.control)

    @property
    def classes(self) -> tuple[AccessClass, ...]:
        """The classes that have a subject, in their order."""
        return tuple(one for one in _CLASSES if one in {row.data_access for row in self.rows})

    def of_class(self, access: AccessClass) -> tuple[Standing, ...]:
        """Return the rows of one class."""
        return tuple(row for row in self.rows if row.data_access == access)

    def between(self, one: Standing, other: Standing) -> RankedPair | None:
        """Return how `one` stands against `other`; None where they are not compared."""
        if one.data_access != other.data_access or one.data_access is None:
            return None
        return self.rankings[one.data_access].between(one.subject, other.subject)

    def across(self, one: str, other: str) -> RankedPair | None:
        """Return how `one` compares with a subject of another class; None where there is too little to compare.

        No rank follows from it: it tells the price of another way to reach the data.
        """
        if not self.unsteady.keys().isdisjoint((one, other)):
            return None
        pair = {subject: self.values.get(subject, {}) for subject in (one, other)}
        return ranking(pair, self.better, self.drifts).between(one, other)

    @cached_property
    def ahead(self) -> Mapping[str, tuple[Standing, RankedPair]]:
        """Subject -> the first leader of its class that is surely ahead, and how the subject stands against it."""
        found: dict[str, tuple[Standing, RankedPair]] = {}
        for leader in (row for row in self.rows if row.rank == 1):
            for row in self.of_class(leader.data_access or "unknown"):
                pair = self.between(row, leader)
                if pair is not None and pair.verdict == "slower":
                    found.setdefault(row.subject, (leader, pair))
        return found


def standings(
    plan: Plan, trials: Sequence[Trial], steadiness: Sequence[Steadiness] = ()
) -> tuple[Standing, ...]:
    """Return the standings by scenario, phase and primary metric, then as in MetricStandings, the control last.

    Where all figures are of programs that may still have been warming up, there is none.
    """
    return tuple(_rows(plan, trials, steadiness))


def in_record(record: Record, scenario: Scenario, phase: str, metric: Metric) -> MetricStandings | None:
    """Return the standings of a session by a metric that has a better way; None where no trial has the figure.

    They are computed once for a record, since its pages ask for them several times.
    """
    if not _has_figure(_figure_names_of(_Same(record)), scenario, phase, metric):
        return None
    return _computed(_Same(record), _Same(scenario), phase, metric)


@dataclass(frozen=True, eq=False)
class _Same(Generic[T]):
    """Something that equals only itself, so that nothing in it is compared."""

    it: T

    def __hash__(self) -> int:
        return id(self.it)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self.it is other.it


_FigureNames = Mapping[tuple[str, str], frozenset[str]]
"""(scenario, phase) -> the names of the figures that any trial has."""


def _figure_names(trials: Sequence[Trial]) -> _FigureNames:
    found: dict[tuple[str, str], set[str]] = {}
    for trial in trials:
        for phase, figures in trial.figures.items():
            found.setdefault((trial.scenario, phase), set()).update(figures)
    return {place: frozenset(names) for place, names in found.items()}


@lru_cache(maxsize=4)
def _figure_names_of(record: _Same[Record]) -> _FigureNames:
    return _figure_names(record.it.trials)


def _has_figure(known: _FigureNames, scenario: Scenario, phase: str, metric: Metric) -> bool:
    """Return whether any trial has the figure, so that standings by it need a look at all trials."""
    return not known.get((scenario.id, phase), frozenset()).isdisjoint(_names(metric))


# All measures of a few records; what is held here can't become another object with the same identity.
@lru_cache(maxsize=256)
def _computed(
    record: _Same[Record], scenario: _Same[Scenario], phase: str, metric: Metric
) -> MetricStandings | None:
    its = record.it
    return of_metric(its.plan, scenario.it, phase, metric, its.trials, its.steadiness)


def _rows(plan: Plan, trials: Sequence[Trial], steadiness: Sequence[Steadiness]) -> Iterator[Standing]:
    known = _figure_names(trials)
    for scenario in plan.scenarios:
        for phase in scenario.phases:
            for metric in METRICS.values():
                ranks = metric.primary and metric.better is not None
                if ranks and _has_figure(known, scenario, phase.name, metric):
                    found = of_metric(plan, scenario, phase.name, metric, trials, steadiness)
                    if found is not None and any(one.mean and not one.warming_up for one in found.everybody):
                        yield from found.everybody


def of_metric(
    plan: Plan,
    scenario: Scenario,
    phase: str,
    metric: Metric,
    trials: Sequence[Trial],
    steadiness: Sequence[Steadiness] = (),
) -> MetricStandings | None:
    """Return the standings of a metric, of trials and of what the phases of their subjects proved.

    A subject without a figure of a warm program is shown by its figures while warming up.
    """
    assert metric.better is not None
    while_warming = WARMING.get(metric.name, metric.name)
    names, its_id = _names(metric), scenario.id
    of_scenario = [
        trial
        for trial in trials
        if trial.scenario == its_id and trial.role in COUNTED and _stands(plan, trial.subject)
    ]
    if all(names.isdisjoint(trial.figures.get(phase, ())) for trial in of_scenario):
        return None
    takers = {one.subject for one in plan.trials if one.scenario == its_id}
    values: dict[str, dict[int, list[float]]] = {
        subject: {}
        for subject in (*plan.subjects, plan.control)
        if _stands(plan, subject) and subject in takers
    }
    counting = [trial for trial in of_scenario if trial.verdict != "invalid"]
    steady = {trial.subject for trial in counting if metric.name in trial.figures.get(phase, {})}
    for trial in counting:
        name = metric.name if trial.subject in steady else while_warming
        value = trial.figures.get(phase, {}).get(name)
        if value is not None:
            values.setdefault(trial.subject, {}).setdefault(trial.block, []).append(value)
    bounding = proofs_of(steadiness, its_id, phase, metric.name)
    proofs = {subject: bounding[subject] for subject in values if subject in bounding}
    unsteady = {
        subject: _why(subject, proofs.get(subject), counting)
        for subject, blocks in values.items()
        if blocks and subject not in steady
    }
    drifts = {
        subject: drift
        for subject, row in proofs.items()
        if subject in steady and (drift := drift_of(row)) is not None
    }
    classes = {subject: plan.class_of(subject, scenario) for subject in values if subject != plan.control}
    rankings = {
        access: ranking(
            {
                subject: {} if subject in unsteady else values[subject]
                for subject, its in classes.items()
                if its == access != "unknown"
            },
            metric.better,
            drifts,
            level_after(plan, max((trial.block for trial in counting), default=0)),
        )
        for access in _CLASSES
    }
    host_of = {planned.block: planned.host for planned in plan.trials}
    rows = []
    for subject, blocks in values.items():
        by_host: dict[str | None, list[float]] = {}
        for block, in_block in sorted(blocks.items()):
            by_host.setdefault(host_of.get(block), []).extend(in_block)
        count = sum(map(len, by_host.values()))
        found = None if not count else _interval(list(by_host.values()))
        low, high = (None, None) if found is None else (found.low, found.high)
        access = classes.get(subject)
        rows.append(
            Standing(
                scenario=its_id,
                phase=phase,
                metric=metric.name,
                better=metric.better,
                subject=subject,
                trials=count,
                invalid_trials=sum(
                    trial.verdict == "invalid" for trial in of_scenario if trial.subject == subject
                ),
                mean=None if found is None else rounded(found.mean),
                low=None if low is None else rounded(low),
                high=None if high is None else rounded(high),
                confidence=CONFIDENCE,
                rank=None if access is None else rankings[access].ranks.get(subject),
                data_access=access,
                warming_up=subject in unsteady,
            )
        )
    sign = -1 if metric.better == "higher" else 1
    return MetricStandings(
        rows=tuple(
            sorted(
                (row for row in rows if row.subject != plan.control),
                key=lambda row: (
                    _CLASSES.index(row.data_access or "unknown"),
                    row.rank is None,
                    row.rank or 0,
                    row.mean is None,
                    sign * (row.mean or 0.0),
                    row.subject,
                ),
            )
        ),
        control=next((row for row in rows if row.subject == plan.control), None),
        rankings=rankings,
        unsteady=unsteady,
        drifts=drifts,
        values=values,
        better=metric.better,
    )


def _names(metric: Metric) -> frozenset[str]:
    """Return the names of a metric's figures: of a warm program, and while it warms up."""
    return frozenset({metric.name, WARMING.get(metric.name, metric.name)})


def level_after(plan: Plan, blocks: int) -> float:
    """Return the level of a look after so many blocks; before the first planned look it is that of a single look."""
    if plan.budget is None or blocks < plan.budget.looks[0] or len(plan.budget.looks) == 1:
        return LEVEL
    return plan.budget.level


def _interval(hosts: Sequence[Sequence[float]]) -> Interval:
    """Return the geometric mean, of which ratios are made; the plain mean if a value has no logarithm.

    The interval has no ends if there are too few values for an order: the interval of two values is wider than any
    question. The values of each host are a stratum.
    """
    enough = sum(map(len, hosts)) >= MINIMUM_PAIRS
    if min(map(min, hosts)) <= 0:
        plain = stratified_interval(hosts, CONFIDENCE)
        return plain if enough else replace(plain, low=None, high=None)
    logs = stratified_interval([[math.log(value) for value in values] for values in hosts], CONFIDENCE)
    if not enough:
        return Interval(ratio(logs.mean), None, None, CONFIDENCE)
    low, high = (None if end is None else ratio(end) for end in (logs.low, logs.high))
    return Interval(ratio(logs.mean), low, high, CONFIDENCE)


def _why(subject: str, row: Steadiness | None, trials: Sequence[Trial]) -> str:
    """Return why figures are not of a warm program: what the phase proved, in older records the rule's words."""
    if row is not None:
        return f"{row.words[0].upper()}{row.words[1:]}."
    said = (
        one.reading
        for trial in trials
        for one in trial.findings
        if trial.subject == subject and one.rule == _STEADY and one.outcome != "pass"
    )
    return next(said, "Not proven steady.")


def _stands(plan: Plan, subject: str) -> bool:
    return SLOWED_ON_PURPOSE not in plan.subject(subject).settings
