"""A comparison goes on until it is decided or its budget is spent."""

from __future__ import annotations

import pytest

from plumbline.archive.record.assemble import compared_so_far
from plumbline.archive.record.comparison import compared
from plumbline.measuring.run.measure import with_trials_run
from plumbline.measuring.run.rounds import HOPELESS_AFTER, Adaptive, rounds, with_final_looks
from plumbline.model.comparison import Comparison, ComparisonPlan, Contest, Reproduces
from plumbline.model.evidence import Failure
from plumbline.model.plan import Plan
from plumbline.subjects.plan.compare import comparison_trials
from plumbline.verdicts.stats.interim import LOOKS
from tests.judge.evidence import evidence
from tests.judge.planned import CONTROL, SUBJECTS, host, plan
from tests.record.comparisons import FAST, SLOW, comparison_plan, evidence_of, record_of

pytestmark = pytest.mark.slow


def run(whole: Plan, pair_s: float = 60.0, spent_s: float = 0.0) -> tuple[int, Adaptive]:
    """Run the comparison; return how many pairs were run before it ended."""
    adaptive = Adaptive(whole, host(whole.host_class), spent_s)
    ran = 0
    for round_ in rounds(whole):
        if adaptive.wants(round_):
            adaptive.learn({trial.number: evidence(trial, whole.sets_of(trial)) for trial in round_}, pair_s)
            ran += round_[0].side is not None
    return ran, adaptive


def asked(whole: Plan, **fields: object) -> Plan:
    assert whole.comparison is not None
    return whole.model_copy(update={"comparison": whole.comparison.model_copy(update=fields)})


def test_it_ends_when_every_leading_question_is_decided() -> None:
    # Six pairs decide throughput and latency of these two; the start needs a few more.
    ran, _ = run(asked(comparison_plan(FAST, SLOW, pairs=32), budget_s=1e6))
    assert 6 <= ran < 26 and ran in (6, 10, 12, 16, 20)


def test_it_ends_when_the_budget_is_spent_and_never_overruns_it_by_more_than_a_round() -> None:
    whole = asked(comparison_plan(FAST, SLOW, pairs=32), budget_s=300.0)
    ran, adaptive = run(whole)
    assert ran == 4  # and the trial of the control
    assert adaptive.likely(rounds(whole)[5:]) == []


def test_a_resumed_comparison_knows_the_pace_of_no_pair_and_overruns_no_budget() -> None:
    whole = asked(comparison_plan(FAST, SLOW, pairs=32), budget_s=300.0)
    control, first, second, *left = rounds(whole)
    adaptive = Adaptive(whole, host(whole.host_class), 295.0)
    # What ran before the interruption is learnt without its time, which is part of what was spent.
    for round_ in (control, first):
        adaptive.learn({trial.number: evidence(trial, whole.sets_of(trial)) for trial in round_}, 0.0)
    assert not adaptive.wants(second)
    assert adaptive.likely(left) == []


def test_what_has_room_in_the_budget_is_known_at_the_pace_so_far() -> None:
    whole = asked(comparison_plan(FAST, SLOW, pairs=32), budget_s=300.0)
    control, first, *left = rounds(whole)
    adaptive = Adaptive(whole, host(whole.host_class), 0.0)
    for round_ in (control, first):
        adaptive.learn({trial.number: evidence(trial, whole.sets_of(trial)) for trial in round_}, 60.0)
    # The control and the first pair took 120 of 300 s.
    assert adaptive.likely(left) == left[:3]
    decided, adaptive = run(asked(whole, budget_s=1e6))
    assert adaptive.likely(rounds(whole)[1 + decided :]) == []


def test_a_side_that_never_runs_ends_it_soon() -> None:
    whole = asked(comparison_plan(FAST, SLOW, pairs=32), budget_s=1e6)
    adaptive = Adaptive(whole, host(), 0.0)
    failure = Failure(phase="start", problem="gone")
    ran = 0
    for round_ in rounds(whole):
        if adaptive.wants(round_):
            round_evidence = {trial.number: evidence(trial, whole.sets_of(trial)) for trial in round_}
            dead = {number: result.model_copy(update={"failure": failure}) for number, result in round_evidence.items()}
            adaptive.learn(dead if round_[0].side else round_evidence, 60.0)
            ran += round_[0].side is not None
    assert ran == HOPELESS_AFTER


def test_the_first_pair_is_always_run() -> None:
    ran, _ = run(asked(comparison_plan(FAST, SLOW, pairs=32), budget_s=1.0))
    assert ran == 1


def test_what_was_spent_before_an_interruption_counts() -> None:
    ran, _ = run(asked(comparison_plan(FAST, SLOW, pairs=32), budget_s=300.0), spent_s=180.0)
    assert ran == 1


def test_a_suite_wants_every_round() -> None:
    whole = plan(blocks=2)
    adaptive = Adaptive(whole, host(), 0.0)
    assert all(adaptive.wants(round_) for round_ in rounds(whole))
    first = rounds(whole)[0]
    assert adaptive.learn({1: evidence(first[0], whole.sets)}, 5.0) is None
    assert SUBJECTS[0] in {round_[0].subject for round_ in rounds(whole)}


def test_a_session_that_is_run_again_runs_every_pair() -> None:
    reproduced = Reproduces(session="s", record_sha256="1" * 64, commit=None, host="h", ratios=())
    whole = asked(comparison_plan(FAST, SLOW, pairs=12), budget_s=1.0)
    ran, _ = run(whole.model_copy(update={"reproduces": reproduced}))
    assert ran == 12


def test_the_record_names_the_trials_that_were_run() -> None:
    whole = comparison_plan(FAST, SLOW, pairs=32)
    assert isinstance(whole.comparison, ComparisonPlan)
    some = {trial.number: evidence(trial, whole.sets_of(trial)) for trial in whole.trials[:7]}
    assert [trial.number for trial in with_trials_run(whole, some).trials] == [1, 2, 3, 4, 5, 6, 7]
    suite = plan()
    assert with_trials_run(suite, {}) == suite


def ended_after(pairs: int, level: float) -> tuple[Plan, Comparison]:
    """The plan of a comparison whose time was over after `pairs` pairs, and what its looks say until then."""
    whole = comparison_plan(FAST, FAST, refs=True, pairs=pairs)
    assert whole.comparison is not None
    at_level = whole.comparison.model_copy(update={"level": level})
    session_plan = whole.model_copy(update={"comparison": at_level})
    compared = compared_so_far(session_plan, host(session_plan.host_class), evidence_of(session_plan))
    assert compared is not None
    return session_plan, compared


@pytest.mark.parametrize(("pairs", "final"), [(14, 14), (12, None), (5, 5), (3, None)])
def test_a_comparison_is_asked_when_its_budget_is_spent(pairs: int, final: int | None) -> None:
    # At such a level nothing is decided.
    session_plan, before = ended_after(pairs, 1e-12)
    assert before.ended == "budget"
    with_looks = with_final_looks(session_plan, before)
    assert with_looks.comparison is not None and with_looks.comparison.looks == LOOKS
    assert [look.pairs for look in with_looks.comparison.final_looks] == ([] if final is None else [final])
    after = compared_so_far(with_looks, host(session_plan.host_class), evidence_of(session_plan))
    assert after is not None and after.ended == "budget"
    taken = [look.pairs for answer in after.answers if answer.primary for look in answer.looks]
    assert max(taken, default=0) == (pairs if pairs > 3 else 0)
    assert with_final_looks(with_looks, after) == with_looks


def test_the_final_look_of_a_contest_is_no_further_look_of_another_one() -> None:
    """The budget ended after six pairs of the first contest, which were asked about, and five of the second."""
    contests = tuple(Contest(base=subject, head=subject) for subject in (FAST, SLOW))
    of_six_pairs = asked(comparison_plan(FAST, SLOW, refs=True), contests=contests, level=1e-12)
    trials = comparison_trials(contests, [of_six_pairs.scenarios[0].id], CONTROL, 6, of_six_pairs.seed, None)
    ran = tuple(trial for trial in trials if (trial.subject, trial.block) != (SLOW, 6))
    session_plan = of_six_pairs.model_copy(update={"trials": ran})
    evidence_by_number = evidence_of(session_plan)
    before = compared_so_far(session_plan, host(), evidence_by_number)
    with_looks = with_final_looks(session_plan, before)
    after = compared_so_far(with_looks, host(), evidence_by_number)
    assert after is not None and {answer.pairs for answer in after.answers} == {5, 6}
    looks = {answer.head_subject: [look.pairs for look in answer.looks] for answer in after.answers if answer.primary}
    assert looks == {FAST: [6], SLOW: [5]}


def test_a_contest_without_a_pair_that_counts_takes_no_final_look_from_another_one() -> None:
    contests = tuple(Contest(base=subject, head=subject) for subject in (FAST, SLOW))
    of_five_pairs = asked(comparison_plan(FAST, SLOW, refs=True), contests=contests, level=1e-12)
    trials = comparison_trials(contests, [of_five_pairs.scenarios[0].id], CONTROL, 5, of_five_pairs.seed, None)
    session_plan = of_five_pairs.model_copy(update={"trials": trials})
    failure = Failure(phase="start", problem="gone")
    evidence_by_number = {
        number: result.model_copy(update={"failure": failure}) if session_plan.trial(number).subject == SLOW else result
        for number, result in evidence_of(session_plan).items()
    }
    before = compared_so_far(session_plan, host(), evidence_by_number)
    assert before is not None and before.ended == "unusable"
    after = compared_so_far(with_final_looks(session_plan, before), host(), evidence_by_number)
    assert after is not None
    looks = {answer.head_subject: [look.pairs for look in answer.looks] for answer in after.answers if answer.primary}
    assert looks == {FAST: [5], SLOW: []}


@pytest.mark.parametrize(
    ("pairs", "looks", "taken"), [(5, LOOKS, [4]), (9, LOOKS, [6, 8]), (10, LOOKS, [6, 9]), (6, (6,), [5])]
)
def test_a_question_that_one_pair_does_not_answer_is_asked_at_the_end(
    pairs: int, looks: tuple[int, ...], taken: list[int]
) -> None:
    whole = asked(comparison_plan(FAST, FAST, refs=True, pairs=pairs), level=1e-12, looks=looks)
    record, _ = record_of(whole)
    *others, last = record.trials
    without_start = last.model_copy(update={"figures": {**last.figures, "start": {}}})
    trials = (*others, without_start)
    before = compared(whole, trials, record.steadiness)
    with_looks = with_final_looks(whole, before)
    after = compared(with_looks, trials, record.steadiness)
    assert after is not None
    looks_by_metric = {answer.metric: [look.pairs for look in answer.looks] for answer in after.answers}
    assert looks_by_metric["first_response_ms"] == taken
    assert looks_by_metric["throughput_per_s"][-1] == pairs
    assert with_final_looks(with_looks, after) == with_looks


def test_a_plan_without_a_final_look_is_written_as_before() -> None:
    session_plan, _ = ended_after(6, 1e-12)
    assert session_plan.comparison is not None
    assert "final_looks" not in session_plan.comparison.model_dump(mode="json")


def test_what_is_decided_is_not_asked_again() -> None:
    whole = comparison_plan(FAST, SLOW, pairs=26)
    compared = compared_so_far(whole, host(whole.host_class), evidence_of(whole))
    assert compared is not None and compared.ended == "decided"
    assert with_final_looks(whole, compared) == whole
    assert with_final_looks(whole, None) == whole
