"""A subject whose trials count but lack a metric is not taken for a subject whose trials were refused."""

from __future__ import annotations

from collections.abc import Collection

from plumbline.reporting.report.compose import compose
from plumbline.reporting.report.view import StandingsView
from tests.truth.sessions import Nature, made

REFUSED, SILENT = "quarkus-rest-orm/jvm/pg", "vertx-pg/jvm/pg"
NATURES = [Nature(1.0, 1.0, 0.005)] * 4


def first_requests(*, refused: Collection[str] = (), silent: Collection[str] = ()) -> StandingsView:
    """The standings by requests of the first ten seconds; some subjects are refused throughout, others lack them."""
    record = made(NATURES)
    trials = tuple(
        trial.model_copy(
            update={"figures": {phase: of for phase, of in trial.figures.items() if phase != "warm-up"}}
            if trial.subject in silent
            else {"verdict": "invalid"}
            if trial.subject in refused
            else {}
        )
        for trial in record.trials
    )
    scenario = compose(record.model_copy(update={"trials": trials}), {}).scenarios[0]
    return next(table for table in scenario.lead if table.metric == "first_10_s_requests")


def test_the_sentence_says_which_trials_count() -> None:
    orm = made(NATURES).plan.subjects[:3]
    groups = first_requests(refused=orm[:1], silent=orm[1:]).groups
    assert groups[0].sentence == (
        "No trial of quarkus-rest-orm counts and no trial of spring3-mvc-jpa and spring4-mvc-jpa that counts has this "
        "figure."
    )
    assert {row.name.id: row.text for row in groups[0].rows} == {
        subject: "no trial counts" if subject == REFUSED else "no figure" for subject in orm
    }
    some = first_requests(silent=orm[1:]).groups[0]
    assert some.sentence == ("No order: no trial of spring3-mvc-jpa and spring4-mvc-jpa that counts has this figure.")


def test_a_lone_subject_without_a_figure_leads_with_none() -> None:
    lone = first_requests(silent={SILENT}).groups[1]
    assert [row.name.id for row in lone.rows] == [SILENT]
    assert lone.figure == ""
    assert first_requests().groups[1].figure.endswith(" requests")
