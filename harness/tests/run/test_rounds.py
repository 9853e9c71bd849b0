"""Pairs belong together; half a pair is none."""

from __future__ import annotations

from plumbline.measuring.run.rounds import rounds, trials_of_whole_rounds
from plumbline.model.comparison import Contest
from plumbline.model.host import HostClass
from plumbline.subjects.plan.compare import comparison_trials
from tests.judge.planned import plan
from tests.record.comparisons import FAST, SLOW, comparison_plan

LAB: HostClass = "lab"


def test_a_suite_has_rounds_of_one() -> None:
    assert all(len(round_) == 1 for round_ in rounds(plan()))


def test_a_comparison_has_the_control_and_then_pairs() -> None:
    sizes = [len(round_) for round_ in rounds(comparison_plan(FAST, SLOW, pairs=4))]
    assert sizes == [1, 2, 2, 2, 2]


def test_contests_side_by_side_are_not_mixed() -> None:
    contests = (Contest(base=FAST, head=FAST), Contest(base=SLOW, head=SLOW))
    many = comparison_plan(FAST, FAST, refs=True).model_copy(
        update={"trials": comparison_trials(contests, ["fruits@1", "hello@1"], "control/jvm/pg", 3, 4, None)}
    )
    pairs = rounds(many)[1:]
    assert len(pairs) == 3 * 4
    assert all(base.subject == head.subject and base.scenario == head.scenario for base, head in pairs)


def test_half_a_pair_is_measured_again() -> None:
    session_plan = comparison_plan(FAST, SLOW, pairs=4)
    assert trials_of_whole_rounds(session_plan, {1, 2, 3, 4}) == {1, 2, 3}
    assert trials_of_whole_rounds(session_plan, {1, 2, 3, 4, 5}) == {1, 2, 3, 4, 5}
    assert trials_of_whole_rounds(plan(), {1, 2, 4}) == {1, 2, 4}
