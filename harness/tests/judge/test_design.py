"""R31: the order, counts and controls of a session, and the trials that are thrown away."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from plumbline.model.plan import Budget, PlannedTrial
from plumbline.verdicts.judge.facts import SessionFacts
from tests.judge.damage import NUMBER, damaged, findings, with_fields
from tests.judge.evidence import session
from tests.judge.planned import SUBJECTS
from tests.judge.test_order_rules import rerun_in_order


def reordered(whole: SessionFacts, order: Callable[[list[PlannedTrial]], list[PlannedTrial]]) -> SessionFacts:
    trials = tuple(
        trial.model_copy(update={"number": number})
        for number, trial in enumerate(order(list(whole.plan.trials)), start=1)
    )
    return replace(whole, plan=whole.plan.model_copy(update={"trials": trials}))


def test_aaaabbbb_is_no_design() -> None:
    whole = reordered(
        session(),
        lambda trials: (
            [
                *trials[:2],
                *sorted(trials[2:-1], key=lambda trial: (trial.role, trial.subject)),
                trials[-1],
            ]
        ),
    )
    found = findings(whole, NUMBER, "R31")[None]
    assert (found.outcome, "Blocks are mixed" in found.reading) == ("invalid", True)


def test_nothing_thrown_away() -> None:
    found = findings(reordered(session(), lambda trials: trials[1:]), NUMBER, "R31")[None]
    assert (found.outcome, "thrown away" in found.reading) == ("invalid", True)


def test_unequal_counts() -> None:
    whole = reordered(session(), lambda trials: trials[:3] + trials[4:])
    found = findings(whole, NUMBER, "R31")[None]
    assert (found.outcome, "Not every block" in found.reading) == ("invalid", True)


def test_no_control_at_the_end() -> None:
    found = findings(reordered(session(), lambda trials: trials[:-1]), NUMBER, "R31")[None]
    assert (found.outcome, "control did not run" in found.reading) == ("invalid", True)


def test_no_control_in_the_middle() -> None:
    def without_middle(trials: list[PlannedTrial]) -> list[PlannedTrial]:
        return [trial for trial in trials if trial.role != "control" or trial.number in (2, len(trials))]

    found = findings(reordered(session(), without_middle), NUMBER, "R31")[None]
    assert (found.outcome, "control did not run" in found.reading) == ("invalid", True)


def test_few_trials_and_missing_ones_warn() -> None:
    found = findings(session(blocks=3), NUMBER, "R31")[None]
    assert (found.outcome, found.value) == ("warn", 3)
    whole = session()
    kept = {number: facts for number, facts in whole.trials.items() if number < 15}
    found = findings(replace(whole, trials=kept), NUMBER, "R31")[None]
    assert (found.outcome, found.reading) == ("warn", "5 trials of 19 planned left no evidence.")


def test_one_order_in_all_blocks_is_no_design() -> None:
    whole = session(blocks=4)

    first, middle, last = (
        [trial for trial in whole.plan.trials if trial.role != "measured" and trial.number in numbers]
        for numbers in ((1, 2), range(3, 12), range(12, 99))
    )
    blocks = sorted(
        (trial for trial in whole.plan.trials if trial.role == "measured"),
        key=lambda trial: (trial.block, trial.subject),
    )
    ordered = [*first, *blocks[:6], *middle, *blocks[6:], *last]
    found = findings(reordered(whole, lambda trials: ordered), NUMBER, "R31")[None]
    assert (found.outcome, "same order in each of 4 blocks" in found.reading) == ("warn", True), found.reading
    assert found.value == pytest.approx(1 / 6**3)
    # Two subjects take turns, so that no chance makes their order the same.
    two = rerun_in_order(session(blocks=4, subjects=SUBJECTS[:2]))
    found = findings(two, NUMBER, "R31")[None]
    assert (found.outcome, found.value) == ("invalid", 0.0)


def test_an_order_that_chance_makes_the_same_is_well() -> None:
    """With a budget, a class that goes on alone keeps the order that was drawn for all subjects."""
    whole = rerun_in_order(session(blocks=4))
    last_of_third = {trial.number for trial in whole.plan.trials if trial.block > 1 and trial.subject == SUBJECTS[2]}
    kept = tuple(trial for trial in whole.plan.trials if trial.number not in last_of_third)
    budget = Budget(budget_s=600, looks=(4,), level=0.01)
    plan = whole.plan.model_copy(
        update={"trials": kept, "budget": budget, "data_access": dict.fromkeys(SUBJECTS, "sql")}
    )
    trials = {number: facts for number, facts in whole.trials.items() if number not in last_of_third}
    reading = findings(replace(whole, plan=plan, trials=trials), NUMBER, "R31")[None].reading
    assert "same order" not in reading


def test_trials_that_ran_in_another_order_than_planned() -> None:
    whole = session()
    early = damaged(whole, 6, with_fields(started_at="2026-09-01T09:00:00Z"))
    found = findings(early, NUMBER, "R31")[None]
    assert (found.outcome, "did not run in the order of the plan" in found.reading) == ("invalid", True)


def test_a_host_with_one_block_needs_no_control_in_its_middle() -> None:
    whole = session(blocks=1)
    trials = tuple(trial.model_copy(update={"block": 2 * trial.block}) for trial in whole.plan.trials)
    joined = replace(whole, plan=whole.plan.model_copy(update={"trials": trials}))
    assert findings(joined, NUMBER, "R31")[None].outcome == "warn"  # of the few trials, and of nothing else
