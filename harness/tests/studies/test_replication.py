"""Published ratios and ratios here: which trials count, what their interval decides, and what stays unsaid."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

import pytest

from plumbline.model.evidence import Evidence, Failure
from plumbline.model.record import Record
from plumbline.reporting.report.parts.study import study_answer
from plumbline.reporting.report.view import Name
from plumbline.reporting.studies.published_figures import PublishedQuestion, PublishedRow, PublishedStudy
from plumbline.reporting.studies.replication import Replication, Word, _word, replications
from tests.report.session import session

QUARKUS, SPRING, VERTX = "quarkus-rest-orm/jvm/pg", "spring4-mvc-jpa/jvm/pg", "vertx-pg/jvm/pg"
RECORD, EVIDENCE = session(invalid=False)


def row(subject: str | None, published: float | None) -> PublishedRow:
    unit, source = ("us", "seed") if published is not None else (None, None)
    return PublishedRow(
        system=subject or "theirs",
        subject=subject,
        published=published,
        unit=unit,
        source=source,  # type: ignore[arg-type]
        rules=("R7",),
    )


def answered(
    *rows: PublishedRow,
    record: Record = RECORD,
    evidence: Mapping[int, Evidence] = EVIDENCE,
    against: str = "first",
    phase: str = "closed",
) -> Replication:
    question = PublishedQuestion(
        about="x",
        scenario="fruits",
        phase=phase,
        metric="app_cpu_us_per_request",
        against=against,  # type: ignore[arg-type]
        why="Because.",
        rows=rows,
    )
    study = PublishedStudy(
        id="000", title="x", year="2022", suite="smoke", question="?", caught=(), caveats=(), asked=(question,)
    )
    (replication,) = replications(study, record, evidence)
    return replication


def ratio_here(subject: str, compared_with: str) -> float:
    ratio = answered(row(compared_with, None), row(subject, None)).rows[1].ratio
    assert ratio is not None
    return ratio


@pytest.mark.parametrize(
    ("factor", "word"),
    [
        (1.0, "agrees"),
        (1.4, "smaller here"),
        (0.8, "larger here"),
    ],
)
def test_the_word_follows_from_the_interval(factor: float, word: str) -> None:
    truth = ratio_here(SPRING, QUARKUS)
    assert truth > 1.3
    spring_row = answered(row(QUARKUS, 1000.0), row(SPRING, 1000.0 * truth * factor)).rows[1]
    assert spring_row.word == word
    assert spring_row.ratio_low is not None and spring_row.ratio_high is not None
    assert spring_row.ratio_low < truth < spring_row.ratio_high
    assert spring_row.published_ratio == pytest.approx(truth * factor)


def test_the_other_way_round_and_next_to_nothing() -> None:
    spring_row = answered(row(QUARKUS, 1000.0), row(SPRING, 500.0)).rows[1]
    assert spring_row.word == "the other way round"
    vertx_row = answered(row(QUARKUS, 1000.0), row(VERTX, 3000.0)).rows[1]
    assert vertx_row.ratio_low is not None and vertx_row.ratio_high is not None
    assert vertx_row.word == (
        "no difference shown here" if vertx_row.ratio_low <= 1 <= vertx_row.ratio_high else "the other way round"
    )
    assert vertx_row.ratio is not None and abs(math.log(vertx_row.ratio)) < 0.2


def test_a_wide_interval_claims_nothing() -> None:
    """Two ratios that can't be told apart need not be the same."""
    assert _word(1.02, 3.0, 0.01, 250.0) == "can't tell"
    assert _word(1.02, 1.0, 0.9, 1.1) == "agrees"
    assert _word(2.0, 2.2, 1.5, 2.6) == "can't tell"
    assert _word(2.0, 2.2, 1.9, 2.4) == "agrees"
    assert _word(2.0, 1.2, 1.1, 1.3) == "smaller here"
    assert _word(2.0, 0.9, 0.7, 1.2) == "no difference shown here"
    assert _word(2.0, 0.5, 0.4, 0.6) == "the other way round"
    assert _word(1.0, 1.6, 1.4, 1.8) == _word(1.0, 0.6, 0.5, 0.7) == "a difference here alone"


def test_the_first_row_and_rows_of_one_side_alone_have_no_word() -> None:
    replication = answered(row(QUARKUS, 1000.0), row(SPRING, None), row(None, 900.0))
    assert [answer_row.word for answer_row in replication.rows] == ["", "", ""]
    assert replication.rows[0].ratio is None and replication.rows[0].against is None
    assert replication.rows[1].ratio is not None and replication.rows[1].published_ratio is None
    assert replication.rows[2].missing == "not a subject here" and replication.rows[2].published_ratio == 0.9


def test_a_row_may_be_set_against_the_one_before_it() -> None:
    replication = answered(row(QUARKUS, 10.0), row(SPRING, 20.0), row(VERTX, 5.0), against="previous")
    assert [answer_row.against for answer_row in replication.rows] == [None, QUARKUS, SPRING]
    assert replication.rows[2].published_ratio == 0.25


def test_who_is_not_part_of_the_session_is_said() -> None:
    replication = answered(row(QUARKUS, 10.0), row("vertx-pg/aot/pg", 20.0))
    assert replication.rows[1].missing == "not part of this session" and replication.rows[1].word == ""


def test_a_question_of_another_suite_of_the_study_is_left_out() -> None:
    """The question asks for none of the session's subjects; for example, it is of another database."""
    question = PublishedQuestion(
        about="x",
        scenario="fruits",
        phase="closed",
        metric="app_cpu_us_per_request",
        why="Because.",
        rows=(row("vertx-pg/aot/pg", 10.0), row(None, 20.0)),
    )
    study = PublishedStudy(
        id="000", title="x", year="2022", suite="smoke", question="?", caught=(), caveats=(), asked=(question,)
    )
    assert replications(study, RECORD, EVIDENCE) == ()


def test_invalid_trials_are_left_out_unless_there_are_no_others() -> None:
    def judged(record: Record, wrong: set[int]) -> Record:
        return record.model_copy(
            update={
                "trials": tuple(
                    trial.model_copy(update={"verdict": "invalid"}) if trial.number in wrong else trial
                    for trial in record.trials
                )
            }
        )

    spring_numbers = [trial.number for trial in RECORD.trials if trial.subject == SPRING and trial.role == "measured"]
    partly_invalid = answered(row(QUARKUS, 1.0), row(SPRING, 2.0), record=judged(RECORD, {spring_numbers[0]})).rows[1]
    assert (partly_invalid.counted, partly_invalid.trials, partly_invalid.invalid) == (4, 5, False)
    all_invalid = answered(row(QUARKUS, 1.0), row(SPRING, 2.0), record=judged(RECORD, set(spring_numbers))).rows[1]
    assert (all_invalid.counted, all_invalid.trials, all_invalid.invalid) == (5, 5, True)


def test_why_there_is_no_figure_is_what_failed() -> None:
    spring_numbers = [trial.number for trial in RECORD.trials if trial.subject == SPRING and trial.role == "measured"]
    record = RECORD.model_copy(
        update={
            "trials": tuple(
                trial.model_copy(update={"figures": {}}) if trial.number in spring_numbers else trial
                for trial in RECORD.trials
            )
        }
    )
    failure = Failure(phase="build", problem="There is no native-image.")
    evidence = {**EVIDENCE, spring_numbers[0]: EVIDENCE[spring_numbers[0]].model_copy(update={"failure": failure})}
    spring_row = answered(row(QUARKUS, 1.0), row(SPRING, 2.0), record=record, evidence=evidence).rows[1]
    assert spring_row.missing == "build: There is no native-image."


def test_one_trial_a_side_gives_a_ratio_without_an_interval() -> None:
    record, evidence = session(blocks=1, invalid=False)
    truth = answered(row(QUARKUS, None), row(SPRING, None), record=record, evidence=evidence).rows[1].ratio
    assert truth is not None
    double_ratio = answered(row(QUARKUS, 1.0), row(SPRING, truth * 2), record=record, evidence=evidence).rows[1]
    assert (double_ratio.word, double_ratio.ratio_low, double_ratio.ratio_high) == ("can't tell", None, None)
    equal_ratio = answered(row(QUARKUS, 1.0), row(SPRING, truth * 1.01), record=record, evidence=evidence).rows[1]
    assert equal_ratio.word == "can't tell"


def test_rules_are_told_by_their_worst_word() -> None:
    record, evidence = session(invalid=True)
    replication = answered(row(QUARKUS, 1.0), row(VERTX, 2.0), record=record, evidence=evidence)
    outcomes = {answer_row.row.subject: answer_row.rule_results[0].outcome for answer_row in replication.rows}
    broken = {trial.subject for trial in record.trials if trial.verdict == "invalid"}
    for subject, outcome in outcomes.items():
        assert (outcome == "invalid") == (subject in broken)


def test_a_figure_that_was_not_proven_steady_is_none_and_said() -> None:
    record, evidence = session(invalid=False, steady=False)
    rows = answered(row(QUARKUS, 1.0), row(SPRING, 2.0), record=record, evidence=evidence).rows
    assert {(answer_row.missing, answer_row.mean) for answer_row in rows} == {("not proven steady", None)}


@pytest.mark.parametrize(
    ("word", "alone", "several"),
    [
        (
            "smaller here",
            "has the same direction and is smaller here.",
            "have the published direction and are smaller.",
        ),
        ("no difference shown here", "shows no difference here.", "show no difference here."),
        ("a difference here alone", "was 1, and is not here.", "were 1, and are not here."),
    ],
)
def test_a_summary_speaks_of_a_direction_only_where_there_is_one(word: Word, alone: str, several: str) -> None:
    replication = answered(row(QUARKUS, 1000.0), row(SPRING, 1000.0))
    (_, worded) = (replace(answer_row, word=word) for answer_row in replication.rows)
    names: dict[str, Name] = {}
    of_one, of_two = (
        study_answer(replace(replication, rows=rows), names, RECORD.plan).summary for rows in ((worded,), (worded,) * 2)
    )
    assert of_one == f"The one ratio that was published {alone}"
    assert of_two == f"All 2 ratios that were published: {several}"


def test_both_ends_of_an_interval_are_told_to_the_place_of_their_ratio() -> None:
    answer = answered(row(QUARKUS, None), row(SPRING, None))
    narrow = replace(answer.rows[1], ratio=1.0786, ratio_low=1.0581, ratio_high=1.0995)
    _, shown = study_answer(replace(answer, rows=(answer.rows[0], narrow)), {}, None).figures
    assert shown.ratio.replace("\N{NO-BREAK SPACE}", " ") == "1.079 ± 0.021"
