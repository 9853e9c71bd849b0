"""Ratios there and here: which trials count, what their interval decides, and what stays unsaid."""

from __future__ import annotations

import math
from collections.abc import Mapping

import pytest

from plumbline.model.evidence import Evidence, Failure
from plumbline.model.record import Record
from plumbline.reporting.studies.published_figures import PublishedQuestion, PublishedRow, PublishedStudy
from plumbline.reporting.studies.replication import Replication, _word, replications
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
    asked = PublishedQuestion(
        about="x",
        scenario="fruits",
        phase=phase,
        metric="app_cpu_us_per_request",
        against=against,  # type: ignore[arg-type]
        why="Because.",
        rows=rows,
    )
    study = PublishedStudy(
        id="000", title="x", year="2022", suite="smoke", question="?", caught=(), caveats=(), asked=(asked,)
    )
    (found,) = replications(study, record, evidence)
    return found


def ratio_here(one: str, other: str) -> float:
    found = answered(row(other, None), row(one, None)).rows[1].ratio
    assert found is not None
    return found


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
    found = answered(row(QUARKUS, 1000.0), row(SPRING, 1000.0 * truth * factor)).rows[1]
    assert found.word == word
    assert found.ratio_low is not None and found.ratio_high is not None
    assert found.ratio_low < truth < found.ratio_high
    assert found.published_ratio == pytest.approx(truth * factor)


def test_the_other_way_round_and_next_to_nothing() -> None:
    reversed_ = answered(row(QUARKUS, 1000.0), row(SPRING, 500.0)).rows[1]
    assert reversed_.word == "the other way round"
    same = answered(row(QUARKUS, 1000.0), row(VERTX, 3000.0)).rows[1]
    assert same.ratio_low is not None and same.ratio_high is not None
    assert same.word == ("smaller here" if same.ratio_low <= 1 <= same.ratio_high else "the other way round")
    assert same.ratio is not None and abs(math.log(same.ratio)) < 0.2


def test_a_wide_interval_claims_nothing() -> None:
    """What can't be told apart need not be the same."""
    assert _word(1.02, 3.0, 0.01, 250.0) == "can't tell"
    assert _word(1.02, 1.0, 0.9, 1.1) == "agrees"
    assert _word(2.0, 2.2, 1.5, 2.6) == "can't tell"
    assert _word(2.0, 2.2, 1.9, 2.4) == "agrees"
    assert _word(2.0, 1.2, 1.1, 1.3) == "smaller here"
    assert _word(2.0, 0.9, 0.7, 1.2) == "smaller here"
    assert _word(2.0, 0.5, 0.4, 0.6) == "the other way round"
    assert _word(1.0, 1.6, 1.4, 1.8) == "larger here"


def test_the_first_row_and_rows_of_one_side_alone_have_no_word() -> None:
    found = answered(row(QUARKUS, 1000.0), row(SPRING, None), row(None, 900.0))
    assert [one.word for one in found.rows] == ["", "", ""]
    assert found.rows[0].ratio is None and found.rows[0].against is None
    assert found.rows[1].ratio is not None and found.rows[1].published_ratio is None
    assert found.rows[2].missing == "not a subject here" and found.rows[2].published_ratio == 0.9


def test_a_row_may_be_set_against_the_one_before_it() -> None:
    found = answered(row(QUARKUS, 10.0), row(SPRING, 20.0), row(VERTX, 5.0), against="previous")
    assert [one.against for one in found.rows] == [None, QUARKUS, SPRING]
    assert found.rows[2].published_ratio == 0.25


def test_who_is_not_part_of_the_session_is_said() -> None:
    found = answered(row(QUARKUS, 10.0), row("vertx-pg/aot/pg", 20.0))
    assert found.rows[1].missing == "not part of this session" and found.rows[1].word == ""


def test_a_question_of_another_suite_of_the_study_is_left_out() -> None:
    """One that asks for none of the session's subjects: of another database, for example."""
    asked = PublishedQuestion(
        about="x",
        scenario="fruits",
        phase="closed",
        metric="app_cpu_us_per_request",
        why="Because.",
        rows=(row("vertx-pg/aot/pg", 10.0), row(None, 20.0)),
    )
    study = PublishedStudy(
        id="000", title="x", year="2022", suite="smoke", question="?", caught=(), caveats=(), asked=(asked,)
    )
    assert replications(study, RECORD, EVIDENCE) == ()


def test_invalid_trials_are_left_out_unless_there_are_no_others() -> None:
    def judged(record: Record, wrong: set[int]) -> Record:
        return record.model_copy(
            update={
                "trials": tuple(
                    one.model_copy(update={"verdict": "invalid"}) if one.number in wrong else one
                    for one in record.trials
                )
            }
        )

    mine = [one.number for one in RECORD.trials if one.subject == SPRING and one.role == "measured"]
    some = answered(row(QUARKUS, 1.0), row(SPRING, 2.0), record=judged(RECORD, {mine[0]})).rows[1]
    assert (some.counted, some.trials, some.invalid) == (4, 5, False)
    none = answered(row(QUARKUS, 1.0), row(SPRING, 2.0), record=judged(RECORD, set(mine))).rows[1]
    assert (none.counted, none.trials, none.invalid) == (5, 5, True)


def test_why_there_is_no_figure_is_what_failed() -> None:
    mine = [one.number for one in RECORD.trials if one.subject == SPRING and one.role == "measured"]
    record = RECORD.model_copy(
        update={
            "trials": tuple(
                one.model_copy(update={"figures": {}}) if one.number in mine else one for one in RECORD.trials
            )
        }
    )
    failure = Failure(phase="build", problem="There is no native-image.")
    evidence = {**EVIDENCE, mine[0]: EVIDENCE[mine[0]].model_copy(update={"failure": failure})}
    found = answered(row(QUARKUS, 1.0), row(SPRING, 2.0), record=record, evidence=evidence).rows[1]
    assert found.missing == "build: There is no native-image."


def test_one_trial_a_side_gives_a_ratio_without_an_interval() -> None:
    record, evidence = session(blocks=1, invalid=False)
    truth = answered(row(QUARKUS, None), row(SPRING, None), record=record, evidence=evidence).rows[1].ratio
    assert truth is not None
    far = answered(row(QUARKUS, 1.0), row(SPRING, truth * 2), record=record, evidence=evidence).rows[1]
    assert (far.word, far.ratio_low, far.ratio_high) == ("can't tell", None, None)
    near = answered(row(QUARKUS, 1.0), row(SPRING, truth * 1.01), record=record, evidence=evidence).rows[1]
    assert near.word == "can't tell"


def test_rules_are_told_by_their_worst_word() -> None:
    record, evidence = session(invalid=True)
    found = answered(row(QUARKUS, 1.0), row(VERTX, 2.0), record=record, evidence=evidence)
    words = {one.row.subject: one.ruled[0].outcome for one in found.rows}
    broken = {one.subject for one in record.trials if one.verdict == "invalid"}
    for subject, outcome in words.items():
        assert (outcome == "invalid") == (subject in broken)
