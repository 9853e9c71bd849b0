"""A session with a budget: a class whose orders are decided rests, and the control closes what was measured."""

from __future__ import annotations

import math
import random
import re
from collections import Counter
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from plumbline.archive.record.assemble import assemble
from plumbline.archive.record.orders import HOPELESS_AFTER, ended, words_of
from plumbline.cli.run_command import command
from plumbline.measuring.run import measure as measuring
from plumbline.measuring.run.journal import Journaled, SessionOptions
from plumbline.measuring.run.measure import Measuring, with_trials_run
from plumbline.measuring.run.rounds import UntilDecided, rounds
from plumbline.model.comparison import Reproduces
from plumbline.model.evidence import Evidence, Failure
from plumbline.model.plan import Budget, Plan, PlannedTrial
from plumbline.model.record import HostSession, SessionEnd, Usage
from plumbline.subjects.plan.make import order_trials
from plumbline.verdicts.judge.facts import SessionFacts, TrialFacts
from plumbline.verdicts.judge.referee import judge
from plumbline.verdicts.stats.compare import LEVEL
from plumbline.verdicts.stats.interim import LEVELS_AT_BLOCKS, LOOKS_AT_BLOCKS
from tests.judge.evidence import evidence
from tests.judge.planned import CONTROL, SUBJECTS, host, plan, provenance
from tests.run.test_duet import Silent

pytestmark = pytest.mark.slow

QUARKUS, SPRING, VERTX = SUBJECTS
ALIKE = "spring4-mvc-jdbc/jvm/pg+db-tls=require"
"""A subject that is as fast as Vert.x in these sessions."""

TRIAL_S = 60.0
SCATTER = 0.01


def budgeted(budget_s: float) -> Plan:
    budget = Budget(budget_s=budget_s, looks=LOOKS_AT_BLOCKS, level=LEVELS_AT_BLOCKS[LOOKS_AT_BLOCKS[-1]])
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
    load = tuple(result.model_copy(update={"completed": round(result.completed * factor)}) for result in as_other.load)
    return as_other.model_copy(update={"subject": ALIKE, "load": load})


def run_session(whole: Plan, dead: str = "", known: dict[int, Evidence] | None = None) -> dict[int, Evidence]:
    """Run each trial that the session wants; return all evidence. `known` is that from before an interruption."""
    assert whole.budget is not None
    measured = dict(known or {})
    course = UntilDecided(whole, whole.budget, host(), TRIAL_S * len(measured))
    course.learn(measured, 0.0)
    for round_ in rounds(whole):
        trial = round_[0]
        if trial.number in measured or not course.wants(round_):
            continue
        result = left_by(trial, whole)
        if trial.subject == dead:
            result = result.model_copy(update={"failure": Failure(phase="start", problem="gone")})
        measured[trial.number] = result
        course.learn({trial.number: result}, TRIAL_S)
    return measured


@cache
def whole_session() -> tuple[Plan, dict[int, Evidence]]:
    whole = budgeted(1e6)
    measured = run_session(whole)
    return with_trials_run(whole, measured), measured


def end_of(session_plan: Plan, measured: dict[int, Evidence]) -> SessionEnd | None:
    """How the record of a session says that it ended."""
    usage = Usage(session_cpu_s=1.0, harness_cpu_s=1.0, sampler_cpu_s=0.1)
    session = HostSession(plan=session_plan, host=host(), provenance=provenance(), builds=(), training=(), usage=usage)
    return assemble(session, measured, workload_version=1).ended


def blocks_of(measured: dict[int, Evidence]) -> Counter[str]:
    return Counter(result.subject for result in measured.values())


def test_a_class_that_is_decided_rests_and_the_time_goes_to_the_other() -> None:
    _, measured = whole_session()
    blocks = blocks_of(measured)
    assert blocks[QUARKUS] == blocks[SPRING] == LOOKS_AT_BLOCKS[0]
    # Both are alike within the scatter of trials: only more processes show that they are equivalent.
    assert LOOKS_AT_BLOCKS[0] < blocks[VERTX] == blocks[ALIKE] < LOOKS_AT_BLOCKS[-1]


def test_a_class_at_rest_is_told_as_it_was_decided() -> None:
    _, measured = whole_session()
    whole = budgeted(1e6)
    assert whole.budget is not None
    course, told = UntilDecided(whole, whole.budget, host(), 0.0), list[str]()
    for round_ in rounds(whole):
        if course.wants(round_):
            course.learn({round_[0].number: measured[round_[0].number]}, TRIAL_S)
        told += course.news()
    of_rest = [line.split(": ", 1)[1] for line in told if f"{SPRING} against {QUARKUS}" in line]
    assert len(of_rest) > 2 and set(of_rest) == {of_rest[0]} and "throughput 37 % less" in of_rest[0]


def test_the_control_runs_first_in_the_middle_and_last() -> None:
    session_plan, measured = whole_session()
    order = [trial for trial in session_plan.trials if trial.number in measured]
    assert [order[place].subject for place in (0, 1, -1)] == [CONTROL] * 3
    assert {trial.block for trial in order if trial.role == "control"} == {1, 2, 6, session_plan.blocks}


def design_of(session_plan: Plan, measured: dict[int, Evidence]) -> set[str]:
    """What R31 says of a session."""
    facts = {
        trial.number: TrialFacts(trial, session_plan.scenario_of(trial), measured[trial.number])
        for trial in session_plan.trials
    }
    findings = judge(SessionFacts.of(session_plan, host(), facts))
    return {finding.outcome for number in findings for finding in findings[number] if finding.rule == "R31"}


def test_the_design_of_what_was_run_holds() -> None:
    assert design_of(*whole_session()) <= {"pass", "warn"}


def test_a_block_that_lacks_a_subject_is_no_design() -> None:
    session_plan, measured = whole_session()
    gone = next(trial for trial in session_plan.trials if (trial.block, trial.subject) == (2, SPRING))
    picked = session_plan.model_copy(update={"trials": tuple(trial for trial in session_plan.trials if trial != gone)})
    assert "invalid" in design_of(picked, measured)


def test_it_says_that_all_is_decided() -> None:
    session_plan, measured = whole_session()
    end = end_of(session_plan, measured)
    assert end is not None and (end.why, end.undecided) == ("decided", ())
    assert words_of(end) == [f"Every order within a class is decided, after {session_plan.blocks} blocks."]


def test_a_budget_ends_between_blocks_and_says_what_more_would_buy() -> None:
    # 20 trials: the control thrown away and the control first, four blocks of four subjects, the control after the
    # second block and last. A fifth block of two subjects would need three trials more.
    whole = budgeted(TRIAL_S * 21)
    measured = run_session(whole)
    assert blocks_of(measured) == {QUARKUS: 4, SPRING: 4, VERTX: 4, ALIKE: 4, CONTROL: 4}
    session_plan = with_trials_run(whole, measured)
    end = end_of(session_plan, measured)
    assert end is not None and end.why == "budget"
    ((first, second, access),) = [(pair.one, pair.other, pair.data_access) for pair in end.undecided]
    assert ({first, second}, access) == ({VERTX, ALIKE}, "sql")
    lines = words_of(end)
    assert lines[0].startswith("The budget is spent")
    assert re.match(
        rf"Open under fruits@1: {re.escape(second)} against {re.escape(first)}: throughput undecided, between",
        lines[1],
    )
    assert (end.further_s is None) == (not any("more, by a longer --budget" in line for line in lines))


@pytest.mark.parametrize("trials", [18, 21])
def test_what_has_room_in_the_budget_is_known_at_the_pace_so_far(trials: int) -> None:
    whole = budgeted(TRIAL_S * trials)
    assert whole.budget is not None
    measured = run_session(whole)
    order = [trial.number for trial in whole.trials if trial.number in measured]
    for done in (6, 9, 14, len(measured)):
        before = {number: measured[number] for number in order[:done]}
        course = UntilDecided(whole, whole.budget, host(), 0.0)
        for number, result in before.items():
            course.learn({number: result}, TRIAL_S)
        for round_ in rounds(whole):
            if round_[0].number <= order[done - 1]:
                course.wants(round_)
        left = [round_ for round_ in rounds(whole) if round_[0].number > order[done - 1]]
        assert [round_[0].number for round_ in course.likely(left)] == order[done:], done


def test_a_budget_without_room_for_all_goes_on_with_the_class_that_has_room() -> None:
    # 18 trials: the control thrown away and the control first, three blocks of four subjects, the control after the
    # second block, a fourth block of two subjects, and the control last.
    whole = budgeted(TRIAL_S * 18)
    measured = run_session(whole)
    blocks = blocks_of(measured)
    assert len(measured) == 18 and sorted(blocks[subject] for subject in (QUARKUS, SPRING, VERTX, ALIKE)) == [
        3,
        3,
        4,
        4,
    ]
    assert blocks[VERTX] == blocks[ALIKE]
    end = end_of(with_trials_run(whole, measured), measured)
    assert end is not None and (end.why, end.blocks) == ("budget", 4)
    assert design_of(with_trials_run(whole, measured), measured) <= {"pass", "warn"}
    # The session is killed in any trial of its last block, and resumed.
    last = [number for number in measured if whole.trials[number - 1].block == 4]
    for killed in last[1:]:
        before = {number: result for number, result in measured.items() if number < killed}
        assert run_session(whole, known=before).keys() == measured.keys()


def test_too_small_a_budget_measures_each_once() -> None:
    measured = run_session(budgeted(1.0))
    assert {blocks_of(measured)[subject] for subject in (*SUBJECTS, ALIKE)} == {1}


def test_nobody_waits_for_a_subject_that_never_counts() -> None:
    measured = run_session(budgeted(1e6), dead=ALIKE)
    assert blocks_of(measured)[VERTX] == LOOKS_AT_BLOCKS[0] > HOPELESS_AFTER


def test_a_first_look_after_a_block_of_which_nothing_counts_has_the_level_of_a_look() -> None:
    whole = budgeted(1e6)
    assert whole.budget is not None
    first_look = LOOKS_AT_BLOCKS[0]
    course = UntilDecided(whole, whole.budget, host(), 0.0)
    for trial in whole.trials:
        if trial.role == "measured" and trial.block > first_look:
            break
        result = left_by(trial, whole)
        if trial.role == "measured" and trial.block == first_look:
            result = result.model_copy(update={"failure": Failure(phase="closed", problem="gone"), "load": ()})
        course.learn({trial.number: result}, TRIAL_S)
    asked = [order.pair.comparison for order in course.stands(first_look) if order.pair is not None]
    # Each class has two subjects, so one pair.
    assert {(comparison.pairs, comparison.level) for comparison in asked} == {(first_look - 1, whole.budget.level)}


def test_after_the_last_planned_look_more_may_still_decide() -> None:
    whole = budgeted(1e6)
    budget = Budget(budget_s=1e6, looks=LOOKS_AT_BLOCKS[:1], level=LEVEL)
    session_plan = whole.model_copy(update={"budget": budget})
    measured = run_session(session_plan)
    end = end_of(with_trials_run(session_plan, measured), measured)
    assert end is not None and (end.why, end.blocks) == ("blocks", LOOKS_AT_BLOCKS[0])
    first, *following = words_of(end)
    assert first == "Ended after 4 blocks, the last that the budget was planned for."
    assert any("more, by a longer --budget" in line for line in following)


@pytest.mark.parametrize("last", [21, 36], ids=["before a look", "after a control between two looks"])
def test_an_interruption_changes_nothing(last: int) -> None:
    whole = budgeted(1e6)
    _, measured = whole_session()
    before = {number: result for number, result in measured.items() if number <= last}
    assert run_session(whole, known=before).keys() == measured.keys()


def test_the_help_of_run_ties_going_on_to_a_budget() -> None:
    words = " ".join((command.help or "").split())
    assert "A suite has a fixed number of blocks, and asks once, at the end" in words
    assert "With --budget the session goes on until every order within a class is decided" in words


def test_without_a_budget_nothing_is_said() -> None:
    assert ended(plan(), (), {}) is None


def test_a_session_that_is_run_again_has_all_blocks_of_the_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A slower host spends the budget before, and would end in a block without a control behind it."""
    whole = budgeted(TRIAL_S * 21)
    reproduced = Reproduces(session="there", record_sha256="0" * 64, commit="0" * 40, host="there", ratios=())
    again = with_trials_run(whole, run_session(whole)).model_copy(update={"reproduces": reproduced})
    measured: dict[int, Evidence] = {}

    def run_trial(testbed: Any, trial: PlannedTrial, progress: Any) -> Evidence:
        measured[trial.number] = left_by(trial, whole)
        return measured[trial.number]

    monkeypatch.setattr(measuring, "run_trial", run_trial)
    monkeypatch.setattr(measuring, "keep_logs", lambda work, target: None)
    monkeypatch.setattr(measuring, "revive_database", lambda testbed, progress: None)
    context: Any = SimpleNamespace(host=host())
    testbed: Any = SimpleNamespace(work=tmp_path, sets=None)
    built: Any = SimpleNamespace(not_built={}, job=lambda trial: trial)
    unused: Any = None
    spent = Journaled(again, "now", SessionOptions(), took_s=TRIAL_S * 21)
    Measuring(context, spent, again, tmp_path, Silent(), lambda: None, lambda: None, unused).run([testbed], built, None)
    assert measured.keys() == {trial.number for trial in again.trials}
    assert with_trials_run(again, measured) == again
    assert design_of(again, measured) <= {"pass", "warn"}
    assert end_of(again, measured) is None
