"""Rank subjects by each metric of each phase, by class of data access, over the trials that are not invalid.

This is the one place that decides an order. Reports, pages, badges, pictures and comments write down what it says.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Generic, Literal, TypeVar

from plumbline.model.data_access import AccessClass
from plumbline.model.plan import COUNTED, Plan, Scenario
from plumbline.model.record import Record, Standing, Steadiness, Trial
from plumbline.verdicts.figures.metrics import METRICS, WARMING, Metric
from plumbline.verdicts.figures.series import rounded
from plumbline.verdicts.judge.wording import capitalized
from plumbline.verdicts.stats.compare import LEVEL, MINIMUM_PAIRS, Better, Verdict
from plumbline.verdicts.stats.drift import Drift
from plumbline.verdicts.stats.interval import Interval, stratified_interval
from plumbline.verdicts.stats.ranking import ByBlock, RankedPair, Ranking, ranking
from plumbline.verdicts.stats.wording import ratio
from .steadiness import drift_of, proofs_of

T = TypeVar("T")

SLOWED_ON_PURPOSE = "spin"
"""Subjects with this setting test the method, and are in no standings."""

_STEADY = "R29"

CONFIDENCE = 1 - LEVEL
"""The confidence of the interval of every mean. Orders are decided at the same level."""

_CLASSES: tuple[AccessClass, ...] = ("orm", "sql", "none", "unknown")

Basis = Literal["ranked", "steady", "warming"]
"""`ranked`: has a place in an order; `steady`: a figure of a warm program without one; `warming`: no such figure."""


@dataclass(frozen=True)
class _Trials:
    """The trials of a scenario that standings are made of, with all that standings by any metric need of them.

    `subjects` are those of the scenario, each with the class within which it is ranked, None for the control.
    `counting` are the trials that count, by subject; `invalid` is how many do not. `figures` are the names of
    the figures of all these trials, by phase; `proofs` are the rows that bound a drift, by phase and metric, then by
    subject. `level` is the level of the look after these trials.
    """

    plan: Plan
    scenario: Scenario
    subjects: Mapping[str, AccessClass | None]
    counting: Mapping[str, Sequence[Trial]]
    invalid: Mapping[str, int]
    figures: Mapping[str, Set[str]]
    proofs: Mapping[tuple[str, str | None], Mapping[str, Steadiness]]
    level: float

    @cached_property
    def host_of(self) -> Mapping[int, str | None]:
        """Block -> the host that measured it."""
        return {planned.block: planned.host for planned in self.plan.trials}

    def has_figure(self, phase: str, metric: Metric) -> bool:
        """Return whether any trial has a figure of the metric, of a warm program or of one that warms up."""
        names = self.figures.get(phase, frozenset())
        return metric.name in names or WARMING.get(metric.name, metric.name) in names


def _trials_of(plan: Plan, scenario: Scenario, trials: Sequence[Trial], steadiness: Sequence[Steadiness]) -> _Trials:
    scenario_id = scenario.id
    subjects_of_scenario = {trial.subject for trial in plan.trials if trial.scenario == scenario_id}
    standing = [
        subject
        for subject in (*plan.subjects, plan.control)
        if subject in subjects_of_scenario and _has_standing(plan, subject)
    ]
    counting: dict[str, list[Trial]] = {subject: [] for subject in standing}
    invalid: Counter[str] = Counter()
    figures: dict[str, set[str]] = {}
    blocks = 0
    for trial in trials:
        if trial.scenario == scenario_id and trial.role in COUNTED and _has_standing(plan, trial.subject):
            for phase, metrics in trial.figures.items():
                figures.setdefault(phase, set()).update(metrics)
            # A block of which no trial counts had its look all the same.
            blocks = max(blocks, trial.block)
            if trial.verdict == "invalid":
                invalid[trial.subject] += 1
            else:
                counting.setdefault(trial.subject, []).append(trial)
    return _Trials(
        plan=plan,
        scenario=scenario,
        subjects={
            subject: None if subject == plan.control else plan.class_of(subject, scenario) for subject in counting
        },
        counting=counting,
        invalid=invalid,
        figures=figures,
        proofs=proofs_of(steadiness, scenario_id),
        level=level_after(plan, blocks),
    )


@dataclass(frozen=True)
class MetricStandings:
    """All subjects by one metric of one phase.

    `unsteady` is subject -> why its figures are of a program that may still have been warming up: those have no rank,
    and no comparison. `drifts` says how far the figures of the others may still drift, as far as the record says.
    `values` are the values of the trials that count, by subject.
    """

    phase: str
    metric: Metric
    better: Better
    rankings: Mapping[AccessClass, Ranking]
    unsteady: Mapping[str, str]
    drifts: Mapping[str, Drift]
    values: Mapping[str, ByBlock]
    trials: _Trials

    @property
    def bases(self) -> dict[str, Basis]:
        """How much is known of each subject with a figure that counts, without the control. No subject is compared."""
        return {
            subject: "warming"
            if subject in self.unsteady
            else "ranked"
            if subject in self.rankings[access].ranked
            else "steady"
            for subject, access in self.trials.subjects.items()
            if access is not None and self.values[subject]
        }

    @cached_property
    def rows(self) -> tuple[Standing, ...]:
        """The subjects by class, rank and mean, each class in a run of its own."""
        sign = -1 if self.better == "higher" else 1
        return tuple(
            sorted(
                (self._row(subject) for subject in self.values if subject != self.trials.plan.control),
                key=lambda row: (
                    _CLASSES.index(row.data_access or "unknown"),
                    row.rank is None,
                    row.rank or 0,
                    row.mean is None,
                    sign * (row.mean or 0.0),
                    row.subject,
                ),
            )
        )

    @cached_property
    def control(self) -> Standing | None:
        """The control, which has no rank; None where it did not take the scenario."""
        control = self.trials.plan.control
        return self._row(control) if control in self.values else None

    @property
    def everybody(self) -> tuple[Standing, ...]:
        """The rows and the control."""
        return self.rows if self.control is None else (*self.rows, self.control)

    @cached_property
    def _by_class(self) -> Mapping[AccessClass, tuple[Standing, ...]]:
        found: dict[AccessClass, list[Standing]] = {}
        for row in self.rows:
            if row.data_access is not None:
                found.setdefault(row.data_access, []).append(row)
        return {access: tuple(rows) for access, rows in found.items()}

    @property
    def classes(self) -> tuple[AccessClass, ...]:
        """The classes that have a subject, in their order."""
        return tuple(self._by_class)

    def of_class(self, access: AccessClass) -> tuple[Standing, ...]:
        """Return the rows of one class."""
        return self._by_class.get(access, ())

    def level_of(self, subject: str) -> float:
        """Return the level of a subject's class; the control has no class, and the level of a single question."""
        access = self.trials.subjects.get(subject)
        return LEVEL if access is None else self.rankings[access].level

    def between(self, row: Standing, other: Standing) -> RankedPair | None:
        """Return how `row` stands against `other`; None where they are not compared."""
        if row.data_access != other.data_access or row.data_access is None:
            return None
        return self.rankings[row.data_access].between(row.subject, other.subject)

    def verdict(self, row: Standing, other: Standing) -> Verdict | None:
        """Return the verdict on two rows of one class, on the first of them in the alphabet; None if not compared."""
        access = row.data_access
        pair = None if access is None else self.rankings[access].compared(row.subject, other.subject)
        return None if pair is None else pair.verdict

    def across(self, subject: str, other: str) -> RankedPair | None:
        """Return how `subject` compares with a subject of another class; None where there is too little to compare.

        No rank follows from the pair: it tells the price of another way to reach the data.
        """
        if not self.unsteady.keys().isdisjoint((subject, other)):
            return None
        pair = {name: self.values.get(name, {}) for name in (subject, other)}
        return ranking(pair, self.better, self.drifts).between(subject, other)

    @cached_property
    def ahead(self) -> Mapping[str, tuple[Standing, RankedPair]]:
        """Subject -> the first leader of its class that is surely ahead, and how the subject stands against it."""
        found: dict[str, tuple[Standing, RankedPair]] = {}
        for access, rows in self._by_class.items():
            leaders, of_class = [row for row in rows if row.rank == 1], self.rankings[access]
            for row in rows:
                ahead = of_class.ahead.get(row.subject, frozenset())
                leader = next((leader for leader in leaders if leader.subject in ahead), None)
                pair = None if leader is None else self.between(row, leader)
                if leader is not None and pair is not None:
                    found[row.subject] = leader, pair
        return found

    def _row(self, subject: str) -> Standing:
        trials, blocks = self.trials, self.values[subject]
        by_host: dict[str | None, list[float]] = {}
        for block, in_block in sorted(blocks.items()):
            by_host.setdefault(trials.host_of.get(block), []).extend(in_block)
        interval = _interval(list(by_host.values())) if by_host else None
        low, high = (None, None) if interval is None else (interval.low, interval.high)
        access = trials.subjects.get(subject)
        return Standing(
            scenario=trials.scenario.id,
            phase=self.phase,
            metric=self.metric.name,
            better=self.better,
            subject=subject,
            trials=sum(map(len, by_host.values())),
            invalid_trials=trials.invalid.get(subject, 0),
            mean=None if interval is None else rounded(interval.mean),
            low=None if low is None else rounded(low),
            high=None if high is None else rounded(high),
            confidence=CONFIDENCE,
            rank=None if access is None else self.rankings[access].ranks.get(subject),
            data_access=access,
            warming_up=subject in self.unsteady,
        )


def standings(plan: Plan, trials: Sequence[Trial], steadiness: Sequence[Steadiness] = ()) -> tuple[Standing, ...]:
    """Return the standings by scenario, phase and primary metric, then as in MetricStandings, the control last.

    Where all figures are of programs that may still have been warming up, there is none.
    """
    return tuple(_rows(plan, trials, steadiness))


def in_record(record: Record, scenario: Scenario, phase: str, metric: Metric) -> MetricStandings | None:
    """Return the standings of a session by a metric that has a better way; None where no trial has the figure.

    They are computed once for a record, since its pages ask for them several times.
    """
    return _cached_standings(_Same(record), _Same(scenario), phase, metric)


@dataclass(frozen=True, eq=False)
class _Same(Generic[T]):
    """Something that equals only itself, so that nothing in it is compared."""

    value: T

    def __hash__(self) -> int:
        return id(self.value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self.value is other.value


# The standings of a few records, None where there is no figure. The cache keeps each object alive, so that no other
# object gets its identity.
@lru_cache(maxsize=256)
def _cached_standings(
    record: _Same[Record], scenario: _Same[Scenario], phase: str, metric: Metric
) -> MetricStandings | None:
    return _of_metric(_trials_of_record(record, scenario), phase, metric)


# The trials of a few records, by scenario.
@lru_cache(maxsize=8)
def _trials_of_record(record: _Same[Record], scenario: _Same[Scenario]) -> _Trials:
    session_record = record.value
    return _trials_of(session_record.plan, scenario.value, session_record.trials, session_record.steadiness)


def _rows(plan: Plan, trials: Sequence[Trial], steadiness: Sequence[Steadiness]) -> Iterator[Standing]:
    for scenario in plan.scenarios:
        trials_of_scenario = _trials_of(plan, scenario, trials, steadiness)
        for phase in scenario.phases:
            for metric in METRICS.values():
                if metric.primary and metric.better is not None:
                    metric_standings = _of_metric(trials_of_scenario, phase.name, metric)
                    if metric_standings is not None and any(
                        row.mean and not row.warming_up for row in metric_standings.everybody
                    ):
                        yield from metric_standings.everybody


def of_metric(
    plan: Plan,
    scenario: Scenario,
    phase: str,
    metric: Metric,
    trials: Sequence[Trial],
    steadiness: Sequence[Steadiness] = (),
) -> MetricStandings | None:
    """Return the standings by a metric, from trials and from what the phases of their subjects proved.

    A subject without a figure of a warm program is shown by its figures while warming up.
    """
    return _of_metric(_trials_of(plan, scenario, trials, steadiness), phase, metric)


def _of_metric(scenario_trials: _Trials, phase: str, metric: Metric) -> MetricStandings | None:
    assert metric.better is not None
    if not scenario_trials.has_figure(phase, metric):
        return None
    while_warming = WARMING.get(metric.name, metric.name)
    values: dict[str, dict[int, list[float]]] = {}
    unsteady: dict[str, str] = {}
    drifts: dict[str, Drift] = {}
    proofs = scenario_trials.proofs.get((phase, metric.proven_by), {})
    for subject, trials in scenario_trials.counting.items():
        phases = [(trial.block, trial.figures.get(phase, {})) for trial in trials]
        steady = any(metric.name in figures for _, figures in phases)
        name = metric.name if steady else while_warming
        blocks = values.setdefault(subject, {})
        for block, figures in phases:
            if (value := figures.get(name)) is not None:
                blocks.setdefault(block, []).append(value)
        row = proofs.get(subject)
        if blocks and not steady:
            unsteady[subject] = _why_unsteady(row, trials)
        if row is not None and steady and (drift := drift_of(row)) is not None:
            drifts[subject] = drift
    rankings = {
        access: ranking(
            {
                subject: {} if subject in unsteady else values[subject]
                for subject, class_of_subject in scenario_trials.subjects.items()
                if class_of_subject == access != "unknown"
            },
            metric.better,
            drifts,
            scenario_trials.level,
        )
        for access in _CLASSES
    }
    return MetricStandings(
        phase=phase,
        metric=metric,
        better=metric.better,
        rankings=rankings,
        unsteady=unsteady,
        drifts=drifts,
        values=values,
        trials=scenario_trials,
    )


def level_after(plan: Plan, blocks: int) -> float:
    """Return the level of a look after so many blocks; before the first planned look that of a single look."""
    if plan.budget is None or blocks < plan.budget.looks[0] or len(plan.budget.looks) == 1:
        return LEVEL
    return plan.budget.level


def _interval(hosts: Sequence[Sequence[float]]) -> Interval:
    """Return the geometric mean, of which ratios are made; the arithmetic mean if a value has no logarithm.

    The interval has no ends if there are too few values for an order: the interval of two values is wider than any
    question. The values of each host are a stratum.
    """
    enough = sum(map(len, hosts)) >= MINIMUM_PAIRS
    if min(map(min, hosts)) <= 0:
        arithmetic = stratified_interval(hosts, CONFIDENCE)
        return arithmetic if enough else replace(arithmetic, low=None, high=None)
    logs = stratified_interval([[math.log(value) for value in values] for values in hosts], CONFIDENCE)
    if not enough:
        return Interval(ratio(logs.mean), None, None, CONFIDENCE)
    low, high = (None if end is None else ratio(end) for end in (logs.low, logs.high))
    return Interval(ratio(logs.mean), low, high, CONFIDENCE)


def _why_unsteady(row: Steadiness | None, trials: Sequence[Trial]) -> str:
    """Return why figures are not of a warm program: what the phase proved, in older records the rule's words."""
    if row is not None:
        return f"{capitalized(row.words)}."
    readings = (
        finding.reading
        for trial in trials
        for finding in trial.findings
        if finding.rule == _STEADY and finding.outcome != "pass"
    )
    return next(readings, "Not proven steady.")


def _has_standing(plan: Plan, subject: str) -> bool:
    return SLOWED_ON_PURPOSE not in plan.subject(subject).settings
