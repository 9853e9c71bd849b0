"""The trials of a comparison by contest and scenario, in pairs, and the questions that they answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from plumbline.model.comparison import ComparisonPlan, Pair, Side, Unit
from plumbline.model.host import HostClass
from plumbline.model.plan import Plan, Scenario
from plumbline.model.record import Trial
from plumbline.subjects.plan.detectable import LATENCY, leading_questions
from plumbline.verdicts.figures.metrics import METRICS, WARMING
from plumbline.verdicts.stats.compare import Better, differences


@dataclass(frozen=True)
class ContestUnit:
    """A contest under one scenario: its pairs in the order they ran, with the (base, head) trials of each."""

    base_subject: str
    head_subject: str
    scenario: Scenario
    pairs: tuple[Pair, ...]
    trials: tuple[tuple[Trial, Trial], ...]

    @property
    def key(self) -> Unit:
        """The subjects and the scenario, as pairs and answers name them."""
        return self.base_subject, self.head_subject, self.scenario.id

    @property
    def used(self) -> tuple[tuple[Trial, Trial], ...]:
        """The trials of the pairs that are used."""
        return tuple(trials for pair, trials in zip(self.pairs, self.trials, strict=True) if pair.used)


def units_of(plan: Plan, asked: ComparisonPlan, trials: Sequence[Trial]) -> list[ContestUnit]:
    """Return the units of a comparison in the order of its plan; a trial without its partner is in none."""
    found = []
    for contest in asked.contests:
        for scenario in plan.scenarios:
            base = _by_block(trials, scenario.id, "base", contest.base)
            head = _by_block(trials, scenario.id, "head", contest.head)
            blocks = sorted(base.keys() & head.keys())
            pairs = [_pair(contest.base, contest.head, base[block], head[block]) for block in blocks]
            sides = tuple((base[block], head[block]) for block in blocks)
            found.append(ContestUnit(contest.base, contest.head, scenario, tuple(pairs), sides))
    return found


def _by_block(trials: Sequence[Trial], scenario: str, side: str, subject: str) -> dict[int, Trial]:
    return {
        trial.block: trial
        for trial in trials
        if (trial.scenario, trial.side, trial.subject, trial.role) == (scenario, side, subject, "measured")
    }


def _pair(base_subject: str, head_subject: str, base: Trial, head: Trial) -> Pair:
    invalid = [trial.number for trial in (base, head) if trial.verdict == "invalid"]
    reason = f"trial{'s' if len(invalid) > 1 else ''} {' and '.join(map(str, invalid))} invalid" if invalid else None
    return Pair(
        scenario=base.scenario,
        base_subject=base_subject,
        head_subject=head_subject,
        block=base.block,
        base=base.number,
        head=head.number,
        order="AB" if base.number < head.number else "BA",
        used=not invalid,
        reason=reason,
    )


def dead_sides(asked: ComparisonPlan, units: Sequence[ContestUnit]) -> dict[Unit, tuple[Side, str]]:
    """Return each unit of which every trial of one side is invalid, and not of the other: which side, and why."""
    dead: dict[Unit, tuple[Side, str]] = {}
    for unit in units:
        base, head = ([pair[place] for pair in unit.trials] for place in (0, 1))
        sides: tuple[tuple[Side, list[Trial], list[Trial]], ...] = (("head", head, base), ("base", base, head))
        for side, own_trials, other_trials in sides:
            if not _any_counts(own_trials) and _any_counts(other_trials):
                refusal = next((finding for finding in own_trials[0].findings if finding.outcome == "invalid"), None)
                why = "" if refusal is None else f" ({refusal.rule}: {refusal.reading.rstrip('.')})"
                dead[unit.key] = side, f"every trial of {asked.source(side).given} is invalid{why}"
    return dead


def _any_counts(trials: Sequence[Trial]) -> bool:
    return any(trial.verdict != "invalid" for trial in trials)


# No questions: these metrics describe the measuring (how long until steady, what was dropped), or one extreme second.
_NOT_ASKED = frozenset(
    {
        "dropped", "saturated", "errors", "latency_max_ms", "steady_from_s", "warm_up_s", "time_to_95_share_of_peak_s",
        "throughput_cv_share", "achieved_rate_per_s", "load_cpu_us_per_request", "app_busy_share",
    }
)  # fmt: skip
# Both sides start at once in a duet, under one prober: times of the start would be of the machine.
_NOT_IN_A_DUET = frozenset({"first_response_ms", "healthy_ms", "throughput_per_mib"})


def leading(unit: ContestUnit, asked: ComparisonPlan, host_class: HostClass) -> list[tuple[str, str]]:
    """Return (phase, metric) of the primary questions: those that the unit is planned to measure, measured or not.

    The median leads in the place of a latency that a pair has too few requests for.
    """
    return [
        (
            phase,
            metric if metric != LATENCY or (unit.used and _shown_by_all(unit, phase, LATENCY)) else "latency_p50_ms",
        )
        for phase, metric in leading_questions(unit.scenario, asked.design, host_class)
    ]


def measured(unit: ContestUnit, asked: ComparisonPlan) -> list[tuple[str, str]]:
    """Return (phase, metric) of each figure that has a better direction, and that every used pair shows, some of them
    of a warm program.
    """
    left_out = _NOT_ASKED | (_NOT_IN_A_DUET if asked.design == "duet" else frozenset())
    return [
        (phase, metric)
        for phase in sorted({phase for pair in unit.used for trial in pair for phase in trial.figures})
        for metric in METRICS
        if metric not in left_out
        and METRICS[metric].better is not None
        and _shown_by_all(unit, phase, metric)
        and pairs_with(unit, phase, metric)
    ]


def _shown_by_all(unit: ContestUnit, phase: str, metric: str) -> bool:
    """Return whether every used pair has the figure, be it of a warm program or not: one trial that may still have
    been warming up takes its own pair out, and not the question.
    """
    return all(_has(pair, phase, metric, WARMING.get(metric, metric)) for pair in unit.used)


def _has(pair: tuple[Trial, Trial], phase: str, *names: str) -> bool:
    """Return whether both trials have a figure above 0 by one of these names."""
    return all(any(trial.figures.get(phase, {}).get(name, 0.0) > 0 for name in names) for trial in pair)


def pairs_with(unit: ContestUnit, phase: str, metric: str) -> list[tuple[Pair, tuple[Trial, Trial]]]:
    """Return the used pairs that have the figure, in order, each with its trials; other pairs are passed over."""
    return [
        (pair, trials)
        for pair, trials in zip(unit.pairs, unit.trials, strict=True)
        if pair.used and _has(trials, phase, metric)
    ]


def values_of(unit: ContestUnit, phase: str, metric: str) -> list[float]:
    """Return the difference of each pair that has the figure, in order."""
    return differences(
        [
            (base.figures[phase][metric], head.figures[phase][metric])
            for _, (base, head) in pairs_with(unit, phase, metric)
        ],
        better_of(metric),
    )


def better_of(metric: str) -> Better:
    """Return the better direction of a metric that a comparison asks for."""
    better = METRICS[metric].better
    assert better is not None
    return better
