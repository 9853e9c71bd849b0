"""R14: the same statements, calls and rows a request, or a difference that is declared."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from plumbline.model.evidence import DatabaseWork, Evidence, Statement
from plumbline.verdicts.judge.facts import SessionFacts, TrialFacts
from tests.judge.damage import (
    Change,
    both,
    damaged,
    each,
    findings,
    measured,
    of,
    with_fields,
    with_load,
)
from tests.judge.evidence import session
from tests.judge.planned import CONTROL, SUBJECTS


def asking(change: Callable[[DatabaseWork], DatabaseWork]) -> Change:
    return lambda evidence: evidence.model_copy(update={"database": tuple(change(work) for work in evidence.database)})


def statements(change: Callable[[Statement], Statement | None], *added: Statement) -> Change:
    return asking(
        lambda work: work.model_copy(
            update={
                "statements": (
                    *(new for old in work.statements if (new := change(old)) is not None),
                    *added,
                )
            }
        )
    )


def n_plus_1(old: Statement) -> Statement:
    """The prices of each of ten fruits asked for one by one: the same rows by ten times the calls."""
    return old.model_copy(update={"calls": old.calls * 10}) if "store_fruit_prices" in old.query else old


def transactions(factor: float) -> Change:
    return asking(lambda work: work.model_copy(update={"commits": round(work.commits * factor)}))


@pytest.mark.parametrize(
    "change",
    [
        transactions(0.98),
        both(
            statements(lambda old: old.model_copy(update={"calls": round(0.985 * old.calls)})),
            with_load("closed", failed=4000),
        ),
    ],
    ids=["commits of the last second", "failed requests"],
)
def test_what_a_count_may_be_off_by_is_no_other_work(change: Change) -> None:
    whole = each(session(), SUBJECTS[1], change)
    found = of(whole, SUBJECTS[1], "R14")["closed"]
    assert found.outcome == "pass", found.reading


FOREIGN_KEY = Statement(
    query='SELECT $2 FROM ONLY "public"."fruits" x WHERE "id" OPERATOR(pg_catalog.=) $1 FOR KEY SHARE OF x',
    calls=900_000,
    rows=900_000,
)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (statements(n_plus_1), "Calls of select on store_fruit_prices: 10 a request, 1 of "),
        (statements(lambda old: None), "Calls of select on fruits: 0 a request, 1 of "),
        (
            statements(lambda old: old.model_copy(update={"rows": old.rows * 2})),
            "Rows of select on fruits: 20 a",
        ),
        (transactions(3.0), "Transactions: 3 a request, 1 of "),
        (
            statements(lambda old: old, Statement(query="UPDATE fruits SET seen = $1", calls=200_000, rows=0)),
            "Calls of update on fruits",
        ),
    ],
)
def test_other_work_is_not_the_same_work_faster(change: Change, words: str) -> None:
    whole = each(session(), SUBJECTS[1], change)
    found = of(whole, SUBJECTS[1], "R14")["closed"]
    assert found.outcome == "invalid" and words in found.reading, found.reading
    # A subject that does as most do is not blamed for the difference.
    for subject in (SUBJECTS[0], SUBJECTS[2]):
        assert of(whole, subject, "R14")["closed"].outcome == "pass"


@pytest.mark.parametrize(
    "change",
    [
        statements(lambda old: old.model_copy(update={"query": old.query.replace("SELECT *", "select f1_0.id")})),
        statements(lambda old: old.model_copy(update={"calls": round(old.calls * 1.004)})),
        statements(lambda old: old, Statement(query="BEGIN", calls=260_000, rows=0)),
        statements(lambda old: old, FOREIGN_KEY),
        asking(lambda work: work.model_copy(update={"commits": 0, "rollbacks": work.commits})),
    ],
)
def test_the_same_work_in_other_words_is_the_same(change: Change) -> None:
    assert of(each(session(), SUBJECTS[1], change), SUBJECTS[1], "R14")["closed"].outcome == "pass"


def test_of_two_the_control_decides() -> None:
    whole = each(session(subjects=SUBJECTS[:1]), SUBJECTS[0], statements(n_plus_1))
    assert CONTROL in of(whole, SUBJECTS[0], "R14")["closed"].reading
    assert of(whole, SUBJECTS[0], "R14")["closed"].outcome == "invalid"
    assert findings(whole, 2, "R14")["closed"].outcome == "pass"


def with_other_work(setting: str) -> tuple[SessionFacts, int]:
    """A session with one trial that does other work, of a subject with this setting; and the number of that trial."""
    whole = session()
    number = measured(whole, SUBJECTS[1])[0]
    planned = whole.plan.trials[number - 1].model_copy(update={"subject": f"{SUBJECTS[1]}+{setting}"})
    facts = TrialFacts(planned, whole.trials[number].scenario, statements(n_plus_1)(whole.trials[number].evidence))
    return SessionFacts(whole.plan, whole.host, {**whole.trials, number: facts}), number


def test_a_difference_that_a_setting_declares_is_printed_and_kept() -> None:
    declared, number = with_other_work("sql=join")
    found = findings(declared, number, "R14")["closed"]
    assert found.outcome == "pass" and found.reading.endswith(", as sql=join declares."), found.reading
    # And the trial is no yardstick for subjects that declare nothing.
    assert of(declared, SUBJECTS[0], "R14")["closed"].outcome == "pass"


def both_declaring(change: Change) -> SessionFacts:
    """A session with two subjects that declare one join; the first trial of the second has its work changed."""
    whole = session()
    for subject, work in ((SUBJECTS[0], with_fields()), (SUBJECTS[1], change)):
        number = measured(whole, subject)[0]
        facts = whole.trials[number]
        planned = facts.planned.model_copy(update={"subject": f"{subject}+sql=join"})
        one_join = statements(lambda old: old if "FROM fruits" in old.query else None)
        joined = TrialFacts(planned, facts.scenario, both(one_join, work)(facts.evidence))
        whole = replace(whole, trials={**whole.trials, number: joined})
    return whole


@pytest.mark.parametrize(
    ("change", "outcome"),
    [
        (with_fields(), "pass"),
        (statements(lambda old: old.model_copy(update={"rows": 3 * old.rows})), "invalid"),
        (transactions(2.0), "invalid"),
    ],
)
def test_who_declares_the_same_is_asked_for_the_same(change: Change, outcome: str) -> None:
    whole = both_declaring(change)
    numbers = [number for number, facts in whole.trials.items() if "sql=join" in facts.planned.subject]
    found = [findings(whole, number, "R14")["closed"] for number in numbers]
    assert {finding.outcome for finding in found} == {outcome}, found
    assert ("as sql=join declares" in found[0].reading) == (outcome == "pass")
    # Who declares nothing is compared with neither.
    assert findings(whole, measured(whole, SUBJECTS[2])[0], "R14")["closed"].outcome == "pass"


def test_a_tuned_profile_declares_no_other_work() -> None:
    """Both profiles keep the contract: a tuned profile asks for the same work in another way."""
    declared, number = with_other_work("profile=tuned")
    assert findings(declared, number, "R14")["closed"].outcome == "invalid"


def test_where_nothing_counts_statements_nothing_is_known() -> None:
    whole = session(blocks=1)
    for trial in whole.plan.trials:
        whole = damaged(whole, trial.number, statements(lambda old: None))
    assert findings(whole, measured(whole)[0], "R14")["closed"].outcome == "unknown"


def test_whose_requests_failed_is_no_yardstick() -> None:
    """Of two, the control decides, unless the control answered nothing."""

    def failing(evidence: Evidence) -> Evidence:
        broken = tuple(load.model_copy(update={"failed": 10}) for load in evidence.load)
        return statements(lambda old: None)(evidence.model_copy(update={"load": broken}))

    whole = each(session(), SUBJECTS[1], failing)
    assert of(whole, SUBJECTS[1], "R14")["closed"].outcome == "invalid"
    for subject in (SUBJECTS[0], SUBJECTS[2]):
        assert of(whole, subject, "R14")["closed"].outcome == "pass"
    alone = each(session(subjects=SUBJECTS[:1]), CONTROL, failing)
    assert of(alone, SUBJECTS[0], "R14")["closed"].outcome == "n/a"


def test_a_request_that_failed_in_the_warm_up_makes_no_other_work_of_the_measured_phases() -> None:
    whole = each(session(), SUBJECTS[0], statements(lambda old: None))
    for subject in (*SUBJECTS[1:], CONTROL):
        whole = each(whole, subject, with_load("warm-up", failed=1))
    assert of(whole, SUBJECTS[0], "R14")["closed"].outcome == "invalid"


def test_what_finds_or_inserts_by_what_the_table_holds_is_not_compared() -> None:
    whole = session()
    scenario = whole.plan.scenarios[0].model_copy(update={"grows": ("fruits",)})

    def inserting(evidence: Evidence) -> Evidence:
        return asking(lambda work: work.model_copy(update={"rows_inserted": {"fruits": 500}}))(evidence)

    for number, facts in whole.trials.items():
        odd = statements(n_plus_1) if facts.planned.subject == SUBJECTS[1] else with_fields()
        whole = damaged(whole, number, lambda evidence, odd=odd: inserting(odd(evidence)), scenario)  # type: ignore[misc]
    found = of(whole, SUBJECTS[1], "R14")["closed"]
    assert found.outcome == "n/a" and "finds or inserts" in found.reading


def test_who_was_asked_for_something_else_is_no_yardstick() -> None:
    """The control reads where the others write."""
    whole = session(subjects=SUBJECTS[:1])
    scenario = whole.plan.scenarios[0].model_copy(
        update={"operation": "POST /fruits", "control_operation": "GET /fruits/{name}"}
    )
    for number, facts in whole.trials.items():
        odd = statements(n_plus_1) if facts.planned.subject == CONTROL else with_fields()
        whole = damaged(whole, number, odd, scenario)
    assert of(whole, SUBJECTS[0], "R14")["closed"].outcome == "n/a"


@pytest.mark.parametrize(
    "setting",
    ["threads=virtual", "jdk=temurin-21", "http-tls=on", "otel=agent", "pool-warm-up=off", "release=3.34.3"],
)
def test_a_setting_that_is_not_about_sql_declares_no_other_work(setting: str) -> None:
    declared, number = with_other_work(setting)
    assert findings(declared, number, "R14")["closed"].outcome == "invalid"


def test_a_slow_answer_excuses_no_other_work() -> None:
    """Where all requests ask for the same, the time that one of them took changes no count."""
    whole = session()
    number = measured(whole)[1]

    def one_in_twenty(evidence: Evidence) -> Evidence:
        more = statements(lambda old: old.model_copy(update={"calls": round(old.calls * 1.04)}))(evidence)
        return with_load("open@500", latency_max_ms=800.0)(more)

    assert findings(damaged(whole, number, one_in_twenty), number, "R14")["open@500"].outcome == "invalid"


def test_the_row_of_a_written_probe_is_no_difference_to_a_control_that_reads() -> None:
    whole = session()
    scenario = whole.plan.scenarios[0].model_copy(
        update={"operation": "POST /fruits", "control_operation": "GET /fruits/{name}"}
    )

    def beginning_with(fruits: int) -> Change:
        return asking(lambda work: work.model_copy(update={"table_rows": {"fruits": fruits}, "rows_inserted": {}}))

    for number, facts in whole.trials.items():
        rows = 10 if facts.planned.subject == CONTROL else 11
        whole = damaged(whole, number, beginning_with(rows), scenario)
    for number in whole.trials:
        assert "began with" not in findings(whole, number, "R34")[None].reading
    number = measured(whole)[1]
    odd = damaged(whole, number, beginning_with(10), scenario)
    assert "The table fruits began with 10 rows" in findings(odd, number, "R34")[None].reading
