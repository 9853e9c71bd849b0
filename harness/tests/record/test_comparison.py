"""From trials to answers: which questions are asked, which pairs count, how the answer reads, and `verify` of it."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import pytest

from plumbline.archive.record.comparison import compared as compared_again
from plumbline.archive.record.comparison import undecided
from plumbline.archive.record.sentence import sentence
from plumbline.archive.record.verify import verify
from plumbline.archive.record.write import write_record
from plumbline.measuring.run.rounds import with_final_looks
from plumbline.model.comparison import Answer, Comparison, Contest
from plumbline.model.evidence import Evidence, Failure
from plumbline.model.plan import Plan
from plumbline.model.record import Record, Trial
from plumbline.subjects.plan.compare import comparison_trials
from plumbline.verdicts.figures.metrics import WARMING
from plumbline.verdicts.stats.drift import BOUND_CONFIDENCE
from plumbline.verdicts.stats.interim import LEVELS_OF_LOOKS, LOOKS
from plumbline.verdicts.stats.interval import quantile
from tests.judge.planned import CONTROL, SUBJECTS
from tests.record.comparisons import FAST, SLOW, comparison_plan, duet, itself, record_of, slower
from tests.record.sessions import rewritten

pytestmark = pytest.mark.slow


def compared(record: Record) -> Comparison:
    assert record.comparison is not None
    return record.comparison


def primary_answers(record: Record) -> dict[str, Answer]:
    return {answer.metric: answer for answer in compared(record).answers if answer.primary}


def test_a_slower_head_is_slower_and_fails() -> None:
    comparison = compared(slower()[0])
    answer = primary_answers(slower()[0])["throughput_per_s"]
    assert (answer.verdict, answer.pairs, answer.better) == ("slower", 6, "higher")
    assert answer.ratio is not None and answer.low is not None and answer.high is not None
    assert answer.low < answer.ratio < answer.high < 0.7
    assert answer.ratio == pytest.approx(2500 / 4000, rel=0.02)
    assert (
        comparison.fails
        and "slower than quarkus-rest-orm/jvm/pg by throughput on fruits: 37 % less (99 % interval"
        in comparison.sentence
    )
    assert "no other leading figure moved by more than" in comparison.sentence


def test_the_sides_swapped_swap_the_verdict() -> None:
    record, _ = record_of(comparison_plan(SLOW, FAST))
    assert primary_answers(record)["throughput_per_s"].verdict == "faster"
    assert not compared(record).fails


def test_a_ref_that_changed_nothing_is_not_told_apart() -> None:
    comparison = compared(itself()[0])
    assert not comparison.fails and comparison.ended in ("decided", "pairs")
    assert {answer.verdict for answer in comparison.answers if answer.primary} <= {"equivalent", "inconclusive"}


def test_the_leading_questions_of_a_lab_are_throughput_latency_and_start() -> None:
    assert list(primary_answers(slower()[0])) == ["throughput_per_s", "latency_p50_ms", "first_response_ms"]


def test_what_a_framework_says_of_its_start_is_compared_with_nothing() -> None:
    record, _ = slower()
    assert any("self_reported_start_ms" in trial.figures.get("start", ()) for trial in record.trials)
    assert "self_reported_start_ms" not in {answer.metric for answer in compared(record).answers}


def test_a_duet_asks_for_cpu_and_latency_at_its_rate_and_never_for_throughput_or_start() -> None:
    record = duet()[0]
    assert list(primary_answers(record)) == ["app_cpu_us_per_request", "latency_p50_ms"]
    asked = {answer.metric for answer in compared(record).answers}
    assert not asked & {"throughput_per_s", "throughput_per_mib", "first_response_ms", "healthy_ms"}
    assert {answer.phase for answer in compared(record).answers if answer.primary} == {"open@500"}


def test_a_pair_with_an_invalid_trial_is_never_used_and_is_counted() -> None:
    whole = comparison_plan(FAST, SLOW, pairs=8)
    bad = next(trial.number for trial in whole.trials if trial.block == 3 and trial.side == "head")

    def failing(number: int, evidence: Evidence) -> Evidence:
        failure = Failure(phase="closed", problem="The application ended by itself: exit code 1.")
        return evidence.model_copy(update={"failure": failure, "load": ()}) if number == bad else evidence

    record, _ = record_of(whole, change=failing)
    unused = [pair for pair in compared(record).pairs if not pair.used]
    assert [(pair.block, pair.head, pair.reason) for pair in unused] == [(3, bad, f"trial {bad} invalid")]
    assert len(compared(record).pairs) == 8
    assert primary_answers(record)["throughput_per_s"].pairs == 6


@pytest.mark.parametrize(("side", "fails"), [("head", True), ("base", False)])
def test_a_side_that_never_runs_is_the_answer(side: str, fails: bool) -> None:
    whole = comparison_plan(FAST, FAST, refs=True)
    failing_trials = {trial.number for trial in whole.trials if trial.side == side}

    def failing(number: int, evidence: Evidence) -> Evidence:
        failure = Failure(phase="start", problem="The application ended by itself: exit code 1.")
        return evidence.model_copy(update={"failure": failure}) if number in failing_trials else evidence

    comparison = compared(record_of(whole, change=failing)[0])
    name = "HEAD" if side == "head" else "main"
    assert comparison.sentence.startswith(f"No pair counts: every trial of {name} is invalid (R")
    assert "exit code 1" in comparison.sentence
    assert comparison.ended == "unusable"
    assert comparison.fails is fails and all(not pair.used for pair in comparison.pairs)


@pytest.mark.parametrize(("side", "fails"), [("head", True), ("base", False)])
def test_a_side_that_never_runs_in_one_contest_hides_no_verdict_on_another_one(side: str, fails: bool) -> None:
    contests = tuple(Contest(base=subject, head=subject) for subject in (FAST, SLOW))
    of_both = comparison_plan(FAST, SLOW, refs=True)
    assert of_both.comparison is not None
    trials = comparison_trials(contests, [of_both.scenarios[0].id], CONTROL, 10, of_both.seed, None)
    whole = of_both.model_copy(
        update={"trials": trials, "comparison": of_both.comparison.model_copy(update={"contests": contests})}
    )

    def failing(number: int, evidence: Evidence) -> Evidence:
        trial, failure = whole.trial(number), Failure(phase="start", problem="gone")
        return (
            evidence.model_copy(update={"failure": failure})
            if (trial.subject, trial.side) == (SLOW, side)
            else evidence
        )

    comparison = compared(record_of(whole, change=failing)[0])
    assert comparison.sentence.startswith("HEAD and main are equivalent")
    name = "HEAD" if side == "head" else "main"
    assert f"; no pair on fruits of {SLOW} counts: every trial of {name} is invalid (R7" in comparison.sentence
    assert "without a verdict" not in comparison.sentence
    assert (comparison.ended, comparison.fails) == ("unusable", fails)


def test_before_the_first_look_there_is_no_verdict() -> None:
    record, _ = record_of(comparison_plan(FAST, SLOW, pairs=4))
    comparison = compared(record)
    assert {answer.verdict for answer in comparison.answers} == {None}
    assert (comparison.ended, comparison.fails) == ("budget", False)
    assert ": 4 usable pairs, and the first look needs 2 more." in comparison.sentence


def test_fewer_pairs_may_be_asked_for() -> None:
    record, _ = record_of(comparison_plan(FAST, SLOW, pairs=4, most_pairs=4))
    assert primary_answers(record)["throughput_per_s"].verdict == "slower"
    assert compared(record).ended in ("decided", "pairs")


@pytest.mark.parametrize(("bound", "fails"), [(0.03, True), (0.9, False)])
def test_a_bound_is_asked_one_sidedly(bound: float, fails: bool) -> None:
    record, _ = record_of(comparison_plan(FAST, SLOW, not_slower_than=bound))
    assert primary_answers(record)["throughput_per_s"].not_slower == ("no" if fails else "yes")
    assert compared(record).fails is fails


def near_the_bound(pairs: int) -> tuple[Plan, Comparison]:
    """Head serves 4.5 % less, give or take 1 %, and the bound is 3 %."""
    record, _ = record_of(comparison_plan(FAST, FAST, refs=True, pairs=pairs, not_slower_than=0.03))

    def served(trial: Trial) -> Trial:
        factor = 0.955 * (1.01, 0.99)[trial.block % 2] if trial.side == "head" else 1.0
        closed = {**trial.figures["closed"], "throughput_per_s": 4000 * factor}
        return trial.model_copy(update={"figures": {**trial.figures, "closed": closed}})

    comparison = compared_again(record.plan, [served(trial) for trial in record.trials], record.steadiness)
    assert comparison is not None and comparison.answers[0].metric == "throughput_per_s"
    return record.plan, comparison


def test_no_verdict_settles_a_question_whose_bound_is_undecided() -> None:
    _, first = near_the_bound(LOOKS[0])
    assert (first.answers[0].verdict, first.answers[0].not_slower) == ("slower", "undecided")
    assert undecided(first.answers, first.answers[0].unit) and not first.fails
    _, second = near_the_bound(LOOKS[1])
    assert [look.pairs for look in second.answers[0].looks] == [*LOOKS[:2]]
    assert (second.answers[0].verdict, second.answers[0].not_slower) == ("slower", "no")
    assert second.ended == "decided" and second.fails


def test_a_bound_that_is_undecided_when_the_budget_is_spent_is_asked_once_more() -> None:
    plan, before = near_the_bound(LOOKS[0] + 2)
    alone = before.model_copy(update={"answers": before.answers[:1]})
    of_plan = with_final_looks(plan, alone).comparison
    assert of_plan is not None and [look.pairs for look in of_plan.final_looks] == [LOOKS[0] + 2]


def test_looks_stop_at_the_one_that_decides() -> None:
    record, _ = record_of(comparison_plan(FAST, SLOW, pairs=12))
    answer = primary_answers(record)["throughput_per_s"]
    assert [look.pairs for look in answer.looks] == [6]
    assert answer.p_adjusted is not None and answer.p is not None and answer.p_adjusted >= answer.p


def test_what_ran_is_told_by_side() -> None:
    ran = {(row.side, row.subject): row for row in itself()[0].ran}
    assert ran["base", FAST].sha256 == ran["head", FAST].sha256
    assert ran["head", FAST].framework_version == "5.0.10"
    assert not itself()[0].standings


@pytest.mark.parametrize("made", [slower, itself, duet])
def test_verify_repeats_it(tmp_path: Path, made: object) -> None:
    assert callable(made)
    record, evidence = made()
    write_record(tmp_path / "session", record, evidence)
    assert verify(tmp_path / "session").difference is None


@pytest.mark.parametrize(
    ("looks", "level", "refused"),
    [
        (LOOKS, LEVELS_OF_LOOKS[26] * 2, True),
        # An older record has its final look in the place of the one after 12 pairs.
        ((6, 10, 11), LEVELS_OF_LOOKS[12], False),
    ],
)
def test_no_comparison_chooses_a_higher_level(
    tmp_path: Path, looks: tuple[int, ...], level: float, refused: bool
) -> None:
    whole = comparison_plan(FAST, SLOW)
    assert whole.comparison is not None
    asked = whole.comparison.model_copy(update={"looks": looks, "level": level})
    write_record(tmp_path / "session", *record_of(whole.model_copy(update={"comparison": asked})))
    difference = verify(tmp_path / "session").difference
    assert (None if difference is None else difference.problem) == (
        "record.json: the level 0.0046 is too high for 6 looks." if refused else None
    )


@pytest.mark.parametrize("what", ["sentence", "fails", "answers", "pairs"])
def test_an_answer_that_was_changed_does_not_verify(tmp_path: Path, what: str) -> None:
    record, evidence = slower()
    write_record(tmp_path / "session", record, evidence)
    comparison = compared(record)
    changes: dict[str, dict[str, Any]] = {
        "sentence": {"sentence": "HEAD is 40 % faster."},
        "fails": {"fails": False},
        "answers": {
            "answers": (comparison.answers[0].model_copy(update={"verdict": "faster"}), *comparison.answers[1:])
        },
        "pairs": {"pairs": comparison.pairs[1:]},
    }
    changed = record.model_copy(update={"comparison": comparison.model_copy(update=changes[what])})
    rewritten(tmp_path / "session", changed)
    difference = verify(tmp_path / "session").difference
    assert difference is not None and "comparison" in difference.problem


def test_a_trial_that_may_have_been_warming_up_takes_out_its_pair_and_not_the_question() -> None:
    record, _ = record_of(comparison_plan(FAST, FAST, refs=True, pairs=12))
    last_head = compared(record).pairs[-1].head

    def slow_at_p99(trial: Trial) -> Trial:
        load = dict(trial.figures.get("open@500", {}))
        p99_ms = (20.0 + 0.01 * (trial.number % 7)) * (1.3 if trial.side == "head" else 1.0)
        load |= {"latency_p90_ms": p99_ms, "latency_p99_ms": p99_ms}
        if trial.number == last_head:
            load = {WARMING.get(metric, metric): value for metric, value in load.items()}
        return trial.model_copy(update={"figures": {**trial.figures, "open@500": load}})

    comparison = compared_again(record.plan, [slow_at_p99(trial) for trial in record.trials], record.steadiness)
    assert comparison is not None
    answers = {answer.metric: answer for answer in comparison.answers if answer.phase == "open@500"}
    assert (answers["latency_p99_ms"].primary, answers["latency_p99_ms"].verdict) == (True, "slower")
    assert (answers["latency_p90_ms"].primary, answers["latency_p90_ms"].verdict) == (False, "slower")
    assert comparison.fails


@pytest.mark.parametrize(("bound", "not_slower"), [(None, None), (0.03, "undecided")])
def test_pairs_that_lack_a_figure_take_no_part_in_the_order(bound: float | None, not_slower: str | None) -> None:
    """The six pairs that are left ran the same way round, so that whoever runs second looks slower in all of them."""
    record, _ = record_of(comparison_plan(FAST, FAST, refs=True, pairs=12, not_slower_than=bound))
    order_of_trial = {number: pair.order for pair in compared(record).pairs for number in (pair.base, pair.head)}

    def late_where_second(trial: Trial) -> Trial:
        start = dict(trial.figures["start"])
        late_ms = 300.0 if order_of_trial.get(trial.number) == "AB" and trial.side == "head" else 0.0
        start["first_response_ms"] = 2000.0 + trial.number % 3 + late_ms
        if order_of_trial.get(trial.number) == "BA":
            del start["first_response_ms"]
        return trial.model_copy(update={"figures": {**trial.figures, "start": start}})

    comparison = compared_again(record.plan, [late_where_second(trial) for trial in record.trials], record.steadiness)
    assert comparison is not None
    start = next(answer for answer in comparison.answers if answer.metric == "first_response_ms" and answer.primary)
    assert (start.pairs, start.verdict, start.words) == (6, "inconclusive", "inconclusive (order of the pairs)")
    assert start.refused is not None and "never swapped" in start.refused
    assert start.not_slower == not_slower
    assert not comparison.fails


def answer(**fields: object) -> Answer:
    plain: dict[str, object] = {
        "scenario": "fruits@1", "base_subject": FAST, "head_subject": FAST, "phase": "closed",
        "metric": "throughput_per_s", "better": "higher", "primary": True, "pairs": 10, "words": "",
    }  # fmt: skip
    return Answer.model_validate(plain | fields)


def sentence_of(*answers: Answer) -> str:
    whole = comparison_plan(FAST, FAST, refs=True)
    assert whole.comparison is not None
    return sentence(whole.comparison, answers)


def test_the_sentence_has_the_words_of_standings() -> None:
    slow = answer(verdict="slower", ratio=0.969, low=0.960, high=0.978)
    latency = answer(metric="latency_p99_ms", better="lower", verdict="equivalent", ratio=1.001, low=0.99, high=1.014)
    assert sentence_of(slow, latency) == (
        "HEAD is slower than main by throughput on fruits: 3 % less (99 % interval 2 to 4 %); "
        "no other leading figure moved by more than 1.4 %."
    )


def test_no_percentage_above_three_hundred_and_no_interval_whose_ends_read_alike() -> None:
    far = answer(metric="app_cpu_us_per_request", better="lower", verdict="slower", ratio=6.1, low=5.2, high=7.1)
    narrow = answer(verdict="slower", ratio=0.52, low=0.51998, high=0.52002)
    assert "6.1 times as much (99 % interval 5.2 to 7.1)" in sentence_of(far)
    assert sentence_of(narrow) == "HEAD is slower than main by throughput on fruits: 48.00 % less."
    slow, open_ = {"verdict": "slower", "ratio": 0.5, "low": 0.4, "high": 0.6}, {"verdict": "inconclusive"}
    text = sentence_of(answer(**slow), answer(**open_, ratio=2, low=0.9, high=7.1))
    assert "no other leading figure moved by more than a factor of 7.1" in text


def test_several_changes_and_several_subjects_are_named() -> None:
    dear = answer(metric="app_cpu_us_per_request", better="lower", verdict="slower", ratio=1.05, low=1.03, high=1.07)
    other = {"head_subject": SUBJECTS[2], "base_subject": SUBJECTS[2]}
    text = sentence_of(
        dear,
        answer(verdict="faster", ratio=1.2, low=1.1, high=1.3, **other),
        answer(verdict="inconclusive", ratio=1.0, low=0.9, high=1.1, **other),
        answer(head_subject=SUBJECTS[1], base_subject=SUBJECTS[1]),
    )
    assert text == (
        f"HEAD is faster than main by throughput on fruits of {SUBJECTS[2]}: 20 % more (99 % interval 10 to 30 %); "
        f"slower by application CPU per request on fruits of {FAST}: 5 % more (99 % interval 3 to 7 %); "
        "no other leading figure moved by more than 10.0 %; 1 leading figure without a verdict."
    )


ALIKE = {"verdict": "equivalent", "ratio": 1.001, "low": 0.99, "high": 1.014}
IDLE = {"phase": "start", "metric": "rss_idle_bytes", "better": "lower", "primary": False}


def test_the_sentence_counts_the_other_figures_that_moved_and_names_the_one_that_moved_most() -> None:
    idle = answer(verdict="slower", ratio=1.4, low=1.38, high=1.42, **IDLE)
    peak = answer(verdict="faster", ratio=0.9, low=0.89, high=0.91, **IDLE | {"metric": "rss_peak_bytes"})
    still = answer(**ALIKE | {"primary": False})
    not_asked = answer(primary=False)
    most = "memory (RSS) idle on fruits: 40 % more (99 % interval 38 to 42 %)"
    equivalent = "HEAD and main are equivalent by throughput on fruits: closer than 2 %, at most 1.4 % apart"
    assert sentence_of(answer(**ALIKE), still) == f"{equivalent}."
    assert sentence_of(answer(**ALIKE), still, idle) == f"{equivalent}; 1 of 2 other figures moved, {most}."
    assert sentence_of(answer(**ALIKE), still, peak, idle, not_asked) == (
        f"{equivalent}; 2 of 3 other figures moved, most of all {most}."
    )
    slow = answer(verdict="slower", ratio=0.969, low=0.960, high=0.978)
    assert sentence_of(slow, answer(**ALIKE), idle).endswith(
        f"; no other leading figure moved by more than 1.4 %; 1 of 1 other figure moved, {most}."
    )
    open_ = answer(verdict="inconclusive", ratio=1.0, low=0.93, high=1.06)
    assert sentence_of(open_, idle).endswith(f"(99 % interval, 10 pairs). 1 of 1 other figure moved, {most}.")
    assert sentence_of(answer(words="not asked"), idle) == (
        f"No verdict on HEAD: not asked; 1 of 1 other figure moved, {most}."
    )


def test_equivalent_in_every_leading_figure_is_said_only_where_each_has_that_verdict() -> None:
    latency = answer(metric="latency_p99_ms", better="lower", **ALIKE)
    assert "equivalent in every leading figure: closer" in sentence_of(answer(**ALIKE), latency)
    unanswered = answer(metric="first_response_ms", phase="start", better="lower")
    assert "equivalent in 2 of 3 leading figures: closer" in sentence_of(answer(**ALIKE), latency, unanswered)


def test_the_bound_of_what_went_unseen_is_widened_by_the_drifts_that_phases_leave_open() -> None:
    slow = answer(verdict="slower", ratio=0.969, low=0.960, high=0.978)
    falls, rises = (
        answer(verdict="inconclusive", ratio=1.0, low=0.99, high=1.01, **{direction: math.log(1.2)})
        for direction in ("falls", "rises")
    )
    assert "no other leading figure moved by more than 17.5 %" in sentence_of(slow, falls)
    assert "no other leading figure moved by more than 21.2 %" in sentence_of(slow, rises)


def test_an_interval_from_pairs_in_a_forbidden_order_bounds_nothing() -> None:
    slow = answer(verdict="slower", ratio=0.969, low=0.960, high=0.978)
    refused = answer(verdict="inconclusive", ratio=1.0, low=0.99, high=1.01, refused="never swapped")
    assert sentence_of(slow, refused).endswith("(99 % interval 2 to 4 %); 1 leading figure without a verdict.")


def test_what_is_not_decided_says_what_would_decide_it() -> None:
    text = sentence_of(
        answer(
            verdict="inconclusive", ratio=1.0, low=0.93, high=1.06,
            would_decide="About 8 more pairs, 14 minutes, would decide it.",
        )
    )  # fmt: skip
    assert text == (
        "Undecided between main and HEAD: by throughput on fruits, HEAD has between 7.0 % less and 6.0 % more "
        "(99 % interval, 10 pairs). About 8 more pairs, 14 minutes, would decide it."
    )


def drifting(record: Record, error: float, estimate: float = 0.0) -> Comparison:
    """The comparison of the session as if its phases had left their drift open by this estimate and error."""
    proven = [
        row
        if row.estimate is None
        else row.model_copy(update={"estimate": estimate if row.side == "head" else 0.0, "error": error})
        for row in record.steadiness
    ]
    comparison = compared_again(record.plan, record.trials, proven)
    assert comparison is not None
    return comparison


def test_a_verdict_that_a_drift_could_turn_round_is_not_claimed() -> None:
    record = slower()[0]
    assert {row.side for row in record.steadiness} >= {"base", "head"}

    def throughput(comparison: Comparison) -> Answer:
        return next(answer for answer in comparison.answers if answer.metric == "throughput_per_s" and answer.primary)

    assert throughput(drifting(record, 0.001)).verdict == "slower"
    open_ = throughput(drifting(record, 0.5))
    assert (open_.verdict, open_.words) == ("inconclusive", "inconclusive (a drift could turn it round)")
    assert open_.would_decide is not None and "s more of each process would do, or" in open_.would_decide
    assert open_.further_pairs is not None
    # Head still gets better, by more than it lags behind.
    improving = throughput(drifting(record, 0.001, estimate=1.0))
    assert improving.verdict == "inconclusive" and improving.would_decide is not None
    assert "still changing" in improving.would_decide
    assert not drifting(record, 0.5).fails
    # Start needs no steady state.
    starts = [[answer for answer in comparison.answers if answer.metric == "first_response_ms"] for comparison in (
        drifting(record, 0.001), drifting(record, 0.5))]  # fmt: skip
    assert starts[0] == starts[1]


def test_an_answer_has_the_moves_of_its_ratio_by_drift() -> None:
    comparison = drifting(slower()[0], 0.01)
    moves = {found.metric: (found.falls, found.rises) for found in comparison.answers if found.primary}
    proven = next(row for row in slower()[0].steadiness if row.metric == "throughput_per_s" and row.degrees)
    assert proven.degrees is not None
    move = 0.01 * quantile(proven.degrees, BOUND_CONFIDENCE)
    # Warm-up has one direction: head may still get better, which raises the ratio, and so may base, which lowers it.
    assert moves["throughput_per_s"] == pytest.approx((move, move))
    assert moves["first_response_ms"] == (0.0, 0.0)
    better = drifting(slower()[0], 0.001, estimate=0.1)
    falls_and_rises = {found.metric: found.falls < found.rises for found in better.answers if found.primary}
    assert falls_and_rises == {"throughput_per_s": True, "latency_p50_ms": False, "first_response_ms": False}


def test_a_verdict_that_a_drift_could_turn_round_is_asked_again_at_the_next_look() -> None:
    record, _ = record_of(comparison_plan(FAST, SLOW, pairs=LOOKS[1]))
    settled, open_ = (
        next(
            answer
            for answer in drifting(record, error).answers
            if answer.metric == "throughput_per_s" and answer.primary
        )
        for error in (0.001, 0.5)
    )
    assert (settled.verdict, settled.pairs) == ("slower", LOOKS[0])
    assert (open_.verdict, open_.pairs, len(open_.looks)) == ("inconclusive", LOOKS[1], 2)


def test_a_later_look_decides_what_a_drift_undid_at_the_first_one() -> None:
    """The drift is wide enough to turn round the interval of the first look, and too narrow for that of the second."""
    record, _ = record_of(comparison_plan(FAST, SLOW, pairs=LOOKS[1]))

    def throughput(error: float) -> Answer:
        return next(
            answer
            for answer in drifting(record, error).answers
            if answer.metric == "throughput_per_s" and answer.primary
        )

    first, second = (-math.log(look.high) for look in throughput(0.5).looks)
    assert 0 < first < second
    row = next(row for row in record.steadiness if row.metric == "throughput_per_s" and row.degrees)
    assert row.degrees is not None
    between = throughput((first + second) / 2 / quantile(row.degrees, BOUND_CONFIDENCE))
    assert (between.verdict, between.pairs, len(between.looks)) == ("slower", LOOKS[1], 2)


def test_a_bound_is_not_answered_where_a_drift_could_pass_it() -> None:
    record, _ = record_of(comparison_plan(FAST, SLOW, not_slower_than=0.03))
    throughput = drifting(record, 0.5).answers[0]
    assert throughput.not_slower == "undecided" and not drifting(record, 0.5).fails


def never_warm(record: Record) -> Comparison:
    """The comparison of the record as if none of its phases had been proven steady."""
    warming = tuple(
        trial.model_copy(
            update={
                "figures": {
                    phase: {WARMING.get(metric, metric): value for metric, value in phase_figures.items()}
                    for phase, phase_figures in trial.figures.items()
                }
            }
        )
        for trial in record.trials
    )
    proven = [row.model_copy(update={"proven": False, "words": "too short to tell: 3 s"}) for row in record.steadiness]
    comparison = compared_again(record.plan, warming, proven)
    assert comparison is not None
    return comparison


def test_what_was_never_proven_steady_says_so() -> None:
    comparison = never_warm(slower()[0])
    assert comparison.answers[0].words == "no figure of a warm program: too short to tell: 3 s"


def test_figures_that_need_no_warm_program_are_asked_all_the_same() -> None:
    comparison = never_warm(duet()[0])
    assert all(answer.verdict is None for answer in comparison.answers if answer.primary)
    start = {answer.metric: answer.verdict for answer in comparison.answers if answer.phase == "start"}
    assert start["rss_idle_bytes"] == "equivalent"


def test_more_pairs_come_with_their_minutes() -> None:
    record, evidence = itself()

    def as_served(trial: Trial) -> Trial:
        # Head serves 3 % more and 1 % less in turn.
        factor = 1.0 if trial.side != "head" else (1.03, 0.99)[trial.block % 2]
        closed = {**trial.figures["closed"], "throughput_per_s": 4000 * factor}
        return trial.model_copy(update={"figures": {**trial.figures, "closed": closed}})

    noisy = [as_served(trial) for trial in record.trials]
    comparison = compared_again(record.plan, noisy, record.steadiness, evidence)
    assert comparison is not None
    assert re.search(r"About \d+ more pairs, \d+ minutes, would decide it\.", comparison.sentence)
