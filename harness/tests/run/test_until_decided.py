"""A session with a budget: a class whose orders are decided rests, and the control closes what was measured."""

from __future__ import annotations

import math
import random
import re
from collections import Counter
from functools import cache

import pytest

from plumbline.archive.record.assemble import assemble
from plumbline.archive.record.orders import HOPELESS_AFTER, ended, words_of
from plumbline.measuring.run.measure import with_trials_run
from plumbline.measuring.run.rounds import UntilDecided, rounds
from plumbline.model.evidence import Evidence, Failure
from plumbline.model.plan import Budget, Plan, PlannedTrial
from plumbline.model.record import SessionEnd, Usage
from plumbline.subjects.plan.make import order_trials
from plumbline.verdicts.judge.facts import SessionFacts, TrialFacts
from plumbline.verdicts.judge.referee import judge
from plumbline.verdicts.stats.compare import LEVEL
from plumbline.verdicts.stats.interim import LEVEL_AT_BLOCKS, LOOKS_AT_BLOCKS
from tests.judge.evidence import evidence
from tests.judge.planned import CONTROL, SUBJECTS, host, plan, provenance

pytestmark = pytest.mark.slow

QUARKUS, SPRING, VERTX = SUBJECTS
ALIKE = "spring4-mvc-jdbc/jvm/pg+db-tls=require"
"""In these sessions as fast as Vert.x."""

TRIAL_S = 60.0
SCATTER = 0.01


def budgeted(budget_s: float) -> Plan:
    budget = Budget(budget_s=budget_s, looks=LOOKS_AT_BLOCKS, level=LEVEL_AT_BLOCKS)
    subjects = (*SUBJECTS, ALIKE)
    whole = plan(blocks=LOOKS_AT_BLOCKS[-1])
    trials = order_trials(
        subjects, [whole.scenarios[0].id], CONTROL, whole.blocks, 4711, control_after=lambda block: True
    )
    return whole.model_copy(update={"subjects": subjects, "trials": trials, "budget": budget})


def left_by(trial: PlannedTrial, whole: Plan) -> Evidence:
    if trial.subject != ALIKE:
        return evidence(trial, whole.sets_of(trial))
    as_other = evidence(trial.model_copy(update={"subject": VERTX}), whole.sets_of(trial))
    factor = math.exp(random.Random(trial.number).gauss(0, SCATTER))
    load = tuple(one.model_copy(update={"completed": round(one.completed * factor)}) for one in as_other.load)
    return as_other.model_copy(update={"subject": ALIKE, "load": load})


def ran(whole: Plan, dead: str = "", known: dict[int, Evidence] | None = None) -> dict[int, Evidence]:
    """The evidence of the trials that were wanted, after those that are `known` from before an interruption."""
    assert whole.budget is not None
    found = dict(known or {})
    course = UntilDecided(whole, whole.budget, host(), TRIAL_S * len(found))
    course.learn(found, 0.0)
    for round_ in rounds(whole):
        trial = round_[0]
        if trial.number in found or not course.wants(round_):
            continue
        one = left_by(trial, whole)
        if trial.subject == dead:
            one = one.model_copy(update={"failure": Failure(phase="start", problem="gone")})
        found[trial.number] = one
        course.learn({trial.number: one}, TRIAL_S)
    return found


@cache
def whole_session() -> tuple[Plan, dict[int, Evidence]]:
    its = budgeted(1e6)
    found = ran(its)
    return with_trials_run(its, found), found


def end_of(its: Plan, found: dict[int, Evidence]) -> SessionEnd | None:
    """How the record of a session says that it ended."""
    usage = Usage(session_cpu_s=1.0, harness_cpu_s=1.0, sampler_cpu_s=0.1)
    return assemble(its, host(), provenance(), found, usage, workload_version=1).ended


def blocks_of(found: dict[int, Evidence]) -> Counter[str]:
    return Counter(one.subject for one in found.values())


def test_a_class_that_is_decided_rests_and_the_time_goes_to_the_other() -> None:
    _, found = whole_session()
    blocks = blocks_of(found)
    assert blocks[QUARKUS] == blocks[SPRING] == LOOKS_AT_BLOCKS[0]
    # Alike within the scatter of trials: it takes more processes to say that they are equivalent.
    assert LOOKS_AT_BLOCKS[0] < blocks[VERTX] == blocks[ALIKE] < LOOKS_AT_BLOCKS[-1]


def test_the_control_runs_first_in_the_middle_and_last() -> None:
    its, found = whole_session()
    order = [trial for trial in its.trials if trial.number in found]
    assert [order[place].subject for place in (0, 1, -1)] == [CONTROL] * 3
    assert {trial.block for trial in order if trial.role == "control"} == {1, 2, 6, its.blocks}


def design_of(its: Plan, found: dict[int, Evidence]) -> set[str]:
    """What R31 says of a session."""
    facts = {trial.number: TrialFacts(trial, its.scenario_of(trial), found[trial.number]) for trial in its.trials}
    said = judge(SessionFacts.of(its, host(), facts))
    return {one.outcome for number in said for one in said[number] if one.rule == "R31"}


def test_the_design_of_what_was_run_holds() -> None:
    assert design_of(*whole_session()) <= {"pass", "warn"}


def test_a_block_that_lacks_a_subject_is_no_design() -> None:
    its, found = whole_session()
    gone = next(trial for trial in its.trials if (trial.block, trial.subject) == (2, SPRING))
    picked = its.model_copy(update={"trials": tuple(trial for trial in its.trials if trial != gone)})
    assert "invalid" in design_of(picked, found)


def test_it_says_that_all_is_decided() -> None:
    its, found = whole_session()
    its_end = end_of(its, found)
    assert its_end is not None and (its_end.why, its_end.undecided) == ("decided", ())
    said = words_of(its_end)
    assert said[0] == f"Every order within a class is decided, after {its.blocks} blocks."
    (length,) = its_end.lengths
    assert length.measured_s == 65.0 and f"with {max(15, length.best_s):.0f} s in each." in said[1]


def test_a_budget_ends_between_blocks_and_says_what_more_would_buy() -> None:
    # Thrown away, first, four blocks of four, after the second and last; a fifth of two would need three more.
    whole = budgeted(TRIAL_S * 21)
    found = ran(whole)
    assert blocks_of(found) == {QUARKUS: 4, SPRING: 4, VERTX: 4, ALIKE: 4, CONTROL: 4}
    its = with_trials_run(whole, found)
    its_end = end_of(its, found)
    assert its_end is not None and its_end.why == "budget"
    ((one, other, access),) = [(one.one, one.other, one.data_access) for one in its_end.undecided]
    assert ({one, other}, access) == ({VERTX, ALIKE}, "sql")
    lines = words_of(its_end)
    assert lines[0].startswith("The budget is spent")
    assert re.match(
        rf"Open under fruits@1: {re.escape(other)} against {re.escape(one)}: throughput undecided, between",
        lines[1],
    )
    assert (its_end.further_s is None) == (not any("more, by a longer --budget" in line for line in lines))


@pytest.mark.parametrize("trials", [18, 21])
def test_what_has_room_in_the_budget_is_known_at_the_pace_so_far(trials: int) -> None:
    whole = budgeted(TRIAL_S * trials)
    assert whole.budget is not None
    found = ran(whole)
    order = [trial.number for trial in whole.trials if trial.number in found]
    for done in (6, 9, 14, len(found)):
        known = {number: found[number] for number in order[:done]}
        course = UntilDecided(whole, whole.budget, host(), 0.0)
        for number, one in known.items():
            course.learn({number: one}, TRIAL_S)
        for round_ in rounds(whole):
            if round_[0].number <= order[done - 1]:
                course.wants(round_)
        left = [round_ for round_ in rounds(whole) if round_[0].number > order[done - 1]]
        assert [round_[0].number for round_ in course.likely(left)] == order[done:], done


def test_a_budget_without_room_for_all_goes_on_with_the_class_that_has_room() -> None:
    # Thrown away, first, three blocks of four, after the second; a fourth of two, and the last of the control.
    whole = budgeted(TRIAL_S * 18)
    found = ran(whole)
    blocks = blocks_of(found)
    assert len(found) == 18 and sorted(blocks[one] for one in (QUARKUS, SPRING, VERTX, ALIKE)) == [3, 3, 4, 4]
    assert blocks[VERTX] == blocks[ALIKE]
    its_end = end_of(with_trials_run(whole, found), found)
    assert its_end is not None and (its_end.why, its_end.blocks) == ("budget", 4)
    assert design_of(with_trials_run(whole, found), found) <= {"pass", "warn"}
    # Killed in any trial of its last block, and resumed.
    last = [number for number in found if whole.trials[number - 1].block == 4]
    for killed in last[1:]:
        before = {number: one for number, one in found.items() if number < killed}
        assert ran(whole, known=before).keys() == found.keys()


def test_too_small_a_budget_measures_each_once() -> None:
    found = ran(budgeted(1.0))
    assert {blocks_of(found)[subject] for subject in (*SUBJECTS, ALIKE)} == {1}


def test_nobody_waits_for_a_subject_that_never_counts() -> None:
    found = ran(budgeted(1e6), dead=ALIKE)
    assert blocks_of(found)[VERTX] == LOOKS_AT_BLOCKS[0] > HOPELESS_AFTER


def test_after_the_last_planned_look_more_may_still_decide() -> None:
    whole = budgeted(1e6)
    budget = Budget(budget_s=1e6, looks=LOOKS_AT_BLOCKS[:1], level=LEVEL)
    its = whole.model_copy(update={"budget": budget})
    found = ran(its)
    end = end_of(with_trials_run(its, found), found)
    assert end is not None and (end.why, end.blocks) == ("blocks", LOOKS_AT_BLOCKS[0])
    first, *others = words_of(end)
    assert first == "Ended after 4 blocks, the last that the budget was planned for."
    assert any("more, by a longer --budget" in line for line in others)


def test_an_interruption_changes_nothing() -> None:
    whole = budgeted(1e6)
    _, found = whole_session()
    before = {number: one for number, one in found.items() if number <= 21}
    assert ran(whole, known=before).keys() == found.keys()


def test_without_a_budget_nothing_is_said() -> None:
    assert ended(plan(), (), {}) is None
