"""Estimates how long a session takes, and how much time is left of it.

The plan of a session with a budget names every trial that may be run. Which of them are run is decided during the
session (run/rounds.py), block by block: a class whose orders are decided rests, and the time goes to the others.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from plumbline.model.comparison import ComparisonPlan
from plumbline.model.plan import Budget, PlannedTrial, Scenario
from plumbline.subjects.catalog.settings import is_cold
from plumbline.verdicts.stats.compare import LEVEL
from plumbline.verdicts.stats.interim import LEVELS_AT_BLOCKS, LOOKS_AT_BLOCKS
from .phases import finding_capacity, needs_capacity

# Around the load of a trial: restore, start, probes, k6's own start for each phase, end. Seen on two cores; the
# display of progress replaces it by what the trials of the session took.
AROUND_TRIAL_S = 9.0
AROUND_PHASE_S = 0.8
# Before the first trial: database, one discarded start of each contender.
PREPARE_S = 10.0
REHEARSAL_S = 10.0


def trial_s(scenario: Scenario) -> float:
    """Return expected seconds of one trial, whose warm-up takes as long as it may."""
    return _trial_s(scenario, {phase.name: phase.cycles for phase in scenario.phases})


def likely_trial_s(scenario: Scenario) -> float:
    """Return expected seconds of one trial whose warm-up ends half way between its floor and its cap."""
    return _trial_s(
        scenario,
        {phase.name: ((phase.least_cycles or phase.cycles) + phase.cycles) / 2 for phase in scenario.phases},
    )


def _trial_s(scenario: Scenario, cycles: Mapping[str, float]) -> float:
    return AROUND_TRIAL_S + sum(
        cycles[phase.name] * (AROUND_PHASE_S + phase.duration_s + phase.pause_s)
        for phase in scenario.phases
        if phase.duration_s
    )


def pair_s(asked: ComparisonPlan, scenarios: Sequence[Scenario], seconds_of: Callable[[Scenario], float]) -> float:
    """Return expected seconds of a pair of each question of a comparison, where `seconds_of` gives those of a trial."""
    return sum(map(seconds_of, scenarios)) * len(asked.contests) * (1 if asked.design == "duet" else 2)


def pairs_within(asked: ComparisonPlan, scenarios: Sequence[Scenario]) -> int:
    """Return how many pairs of each question fit a comparison's budget if warm-ups end half way to their cap.

    The first trial, which is thrown away, takes its time as well.
    """
    left_s = asked.budget_s - likely_trial_s(scenarios[0])
    return max(0, int(left_s / pair_s(asked, scenarios, likely_trial_s)))


def capacity_s(scenario: Scenario) -> float:
    """Return expected seconds of a rehearsal that finds a capacity; 0 where no rate waits for one."""
    return trial_s(finding_capacity(scenario)) if needs_capacity(scenario) else 0.0


def preparation_s(trials: Sequence[PlannedTrial], scenarios: Sequence[Scenario]) -> float:
    """Return expected seconds before the first trial, without builds.

    Every contender is started once, and all that may set a rate are rehearsed under each of their scenarios.
    """
    seconds_of = {scenario.id: capacity_s(scenario) for scenario in scenarios}
    contenders = {trial.contender for trial in trials}
    rehearsals = {
        (trial.contender, trial.scenario) for trial in trials if trial.role == "measured" and trial.side != "head"
    }
    return PREPARE_S + REHEARSAL_S * len(contenders) + sum(seconds_of[scenario] for _, scenario in rehearsals)


def session_s(trials: Sequence[PlannedTrial], scenarios: Sequence[Scenario]) -> float:
    """Return expected seconds of all trials and what comes before them, without builds."""
    return preparation_s(trials, scenarios) + trials_s(trials, scenarios)


def trials_s(trials: Sequence[PlannedTrial], scenarios: Sequence[Scenario]) -> float:
    """Return expected seconds of trials."""
    by_id = {scenario.id: scenario for scenario in scenarios}
    whole = 0.0
    for trial in trials:
        scenario = by_id[trial.scenario]
        whole += trial_s(scenario if trial.proof is None else scenario.proving(trial.proof))
        # Only a proof in an interleaved session has CPUs of its own, and a testbed with a database on them.
        whole += PREPARE_S if trial.proof is not None and trial.sets is not None else 0
    return whole + REHEARSAL_S * _extra_starts(trials)


def _extra_starts(trials: Sequence[PlannedTrial]) -> int:
    """Return how many trials at most need one more start before them, since another trial emptied the page cache."""
    cold = [is_cold(trial.parsed.settings) for trial in trials]
    return cold.count(False) if any(cold) else 0


def budget_of(
    budget_s: float | None, blocks: int | None, classes_s: Sequence[tuple[float, bool]], scenarios: Sequence[Scenario]
) -> Budget | None:
    """Return the budget of a session that was asked for one; None for a session of a fixed number of blocks.

    With both, `blocks` is the most. `classes_s` are the expected seconds of a block of each class, and whether the
    class has an order: a class of one subject has none, and rests after the first look. Looks that the budget can't
    pay for are not planned: all looks share the one false alarm in a hundred.
    """
    if budget_s is None:
        return None
    most = _most_blocks(budget_s - _controls_s(scenarios), classes_s)
    if blocks is not None:
        most = min(most, blocks)
    looks = tuple(look for look in LOOKS_AT_BLOCKS if look <= most)
    if not looks:
        looks = (min(LOOKS_AT_BLOCKS[0], blocks or LOOKS_AT_BLOCKS[0]),)
    return Budget(budget_s=budget_s, looks=looks, level=LEVELS_AT_BLOCKS.get(looks[-1], LEVEL))


def _most_blocks(room_s: float, classes_s: Sequence[tuple[float, bool]]) -> int:
    """Return how many blocks there may be: of all classes up to the first look, then of the quickest class that has an
    order alone.
    """
    whole_s = sum(class_s for class_s, _ in classes_s)
    if room_s <= 0 or not whole_s:
        return 0
    blocks_of_all = min(LOOKS_AT_BLOCKS[0], int(room_s / whole_s))
    quickest_s = min((class_s for class_s, has_order in classes_s if has_order), default=whole_s)
    return blocks_of_all + int((room_s - blocks_of_all * whole_s) / quickest_s)


def blocks_within(budget: Budget, trials: Sequence[PlannedTrial], scenarios: Sequence[Scenario]) -> int:
    """Return how many blocks of all subjects fit a budget if warm-ups end half way to their cap; at least one."""
    block_s = _block_s(trials, scenarios, likely_trial_s)
    return max(1, int((budget.budget_s - _controls_s(scenarios)) / block_s)) if block_s else 1


def first_look_s(budget: Budget, trials: Sequence[PlannedTrial], scenarios: Sequence[Scenario]) -> float:
    """Return the seconds that trials up to the first look take if warm-ups take as long as they may."""
    return _controls_s(scenarios) + budget.looks[0] * _block_s(trials, scenarios, trial_s)


def _block_s(
    trials: Sequence[PlannedTrial], scenarios: Sequence[Scenario], seconds_of: Callable[[Scenario], float]
) -> float:
    by_id = {scenario.id: seconds_of(scenario) for scenario in scenarios}
    return sum(by_id[trial.scenario] for trial in trials if (trial.role, trial.block) == ("measured", 1))


def _controls_s(scenarios: Sequence[Scenario]) -> float:
    """Return the expected seconds of the control's trials: thrown away, first, once in the middle and last."""
    each_s = [likely_trial_s(scenario) for scenario in scenarios]
    return each_s[0] + 3 * sum(each_s)
