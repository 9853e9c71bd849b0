"""Rules on the work itself: by how many threads, against which limit, by which SQL, with which promises."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from plumbline.judge.facts import SessionFacts, TrialFacts
from plumbline.model.evidence import DatabaseWork, Evidence, Statement, ThreadUse
from plumbline.model.finding import Finding
from tests.judge.evidence import (
    CAPACITY,
    CONTROL,
    SUBJECTS,
    damaged,
    evidence,
    findings,
    measured,
    session,
    with_column,
    with_fields,
)

Change = Callable[[Evidence], Evidence]
LOOPS = SUBJECTS[2]


def each(whole: SessionFacts, subject: str, change: Change) -> SessionFacts:
    """All trials of a subject changed, whatever their role."""
    for number in [trial.number for trial in whole.plan.trials if trial.subject == subject]:
        whole = damaged(whole, number, change)
    return whole


def of(whole: SessionFacts, subject: str, rule: str) -> dict[str | None, Finding]:
    return findings(whole, measured(whole, subject)[1], rule)


# R3


def threads(*cpu_us: int, others_us: int = 0) -> Change:
    """So many threads in the closed phase, and the row of the tail where there is one."""
    uses = [
        ThreadUse(phase="closed", name=f"eventloop-{number}", cpu_us=us) for number, us in enumerate(cpu_us)
    ]
    tail = [ThreadUse(phase="closed", name="others (30 threads)", cpu_us=others_us)] if others_us else []
    return with_fields(threads=(*uses, *tail))


@pytest.mark.parametrize(
    ("change", "outcome", "words"),
    [
        (threads(900, 1000, 950, 940), "pass", "the work of 3.8 equally busy ones, on 4 CPUs."),
        (threads(1000, 700, 400, 310), "pass", "the work of 2.4 "),
        (threads(1000, 700, 400, 280), "invalid", "the work of 2.4 "),
        (
            threads(1000, 60, 40),
            "invalid",
            "the work of 1.1 equally busy ones, on 4 CPUs: eventloop-0 alone did 91 %",
        ),
        # Many small threads together are no busiest one.
        (threads(500, 400, others_us=900), "pass", "the work of 3.6 "),
        (threads(), "unknown", "not counted by thread"),
        (threads(others_us=900), "unknown", "not counted by thread"),
    ],
)
def test_event_loops_share_the_work(change: Change, outcome: str, words: str) -> None:
    whole = session()
    number = measured(whole, LOOPS)[0]
    found = findings(damaged(whole, number, change), number, "R3")["closed"]
    assert (found.outcome, words in found.reading) == (outcome, True), found.reading


@pytest.mark.parametrize(("loops", "outcome"), [("driver", "warn"), ("own", "invalid")])
def test_loops_of_r2dbcs_driver_are_a_finding_beside_the_figure(loops: str, outcome: str) -> None:
    whole = session()
    number = measured(whole, LOOPS)[0]

    def change(found: Evidence) -> Evidence:
        said = {**(found.environment or {}), "settings": {"db_tls": "require", "r2dbc_loops": loops}}
        return threads(1000, 60)(found).model_copy(update={"environment": said})

    found = findings(damaged(whole, number, change), number, "R3")["closed"]
    assert found.outcome == outcome
    assert "eventloop-0 alone did" in found.reading


def test_compilers_and_collectors_share_no_work() -> None:
    """As a program of two CPUs with one loop was seen: the compiler alone had half of the time."""
    shares = {
        "vert.x-eventloo": 435,
        "C2 CompilerThre": 486,
        "C1 CompilerThre": 46,
        "GC Thread#0": 25,
        "G1 Refine#0": 8,
    }
    uses = tuple(ThreadUse(phase="closed", name=name, cpu_us=us) for name, us in shares.items())
    whole = session()
    number = measured(whole, LOOPS)[0]
    found = findings(damaged(whole, number, with_fields(threads=uses)), number, "R3")["closed"]
    assert found.outcome == "invalid" and "vert.x-eventloo alone did 100 %" in found.reading
    without = tuple(use for use in uses if use.name != "vert.x-eventloo")
    gone = findings(damaged(whole, number, with_fields(threads=without)), number, "R3")["closed"]
    assert gone.outcome == "unknown"


def test_who_has_no_event_loops_is_not_asked() -> None:
    assert of(each(session(), SUBJECTS[0], threads(1000)), SUBJECTS[0], "R3")[None].outcome == "n/a"


def test_on_one_cpu_there_is_nothing_to_share() -> None:
    found = of(each(session("small"), LOOPS, threads(1000)), LOOPS, "R3")[None]
    assert (found.outcome, found.reading) == ("n/a", "On one CPU there is nothing to share.")


def test_a_plan_of_before_does_not_say_who_has_event_loops() -> None:
    whole = session()
    older = replace(whole, plan=whole.plan.model_copy(update={"event_loops": None}))
    assert of(older, LOOPS, "R3")[None].outcome == "unknown"


# R12


def as_fast_as(factor: float) -> Change:
    """The first subject's throughput times a factor."""

    def change(found: Evidence) -> Evidence:
        loads = tuple(
            load.model_copy(update={"completed": round(CAPACITY[SUBJECTS[0]] * factor * load.window_s)})
            if load.phase == "closed"
            else load
            for load in found.load
        )
        return found.model_copy(update={"load": loads})

    return change


def idle(share: float) -> Change:
    """The application's CPUs idle for a share of what they were busy."""

    def change(found: Evidence) -> Evidence:
        busy = found.series.columns["set.app.busy_us"]
        at = dict(zip(found.series.t_s, busy, strict=True))
        found = with_column("set.app.idle_us", lambda t_s, value: value + share * (at[t_s] or 0.0))(found)
        return with_column("set.app.busy_us", lambda _, value: value * (1 - share))(found)

    return change


def similar(factor: float, idle_share: float) -> SessionFacts:
    whole = each(session(), SUBJECTS[0], as_fast_as(1.0))
    return each(each(whole, SUBJECTS[1], as_fast_as(factor)), SUBJECTS[1], idle(idle_share))


@pytest.mark.parametrize("subject", SUBJECTS[:2])
def test_two_alike_while_one_idles_have_met_a_limit_of_the_system(subject: str) -> None:
    found = of(similar(1.01, 0.4), subject, "R12")["closed"]
    assert found.outcome == "invalid"
    assert f"while {SUBJECTS[1]} used 58 % of its CPU: a limit of the system, not of either" in found.reading


@pytest.mark.parametrize(
    ("factor", "idle_share", "words"),
    [
        (1.01, 0.0, "is only what used up its CPUs as well"),
        (1.05, 0.4, f"The nearest other subject, {SUBJECTS[1]}, differs by 5.0 %"),
    ],
)
def test_alike_at_full_load_and_different_while_idle_are_both_well(
    factor: float, idle_share: float, words: str
) -> None:
    found = of(similar(factor, idle_share), SUBJECTS[0], "R12")["closed"]
    assert (found.outcome, words in found.reading) == ("pass", True), found.reading


def test_alike_with_one_whose_cpus_were_not_read_is_unknown() -> None:
    whole = each(similar(1.0, 0.0), SUBJECTS[1], with_column("set.app.busy_us", None))
    assert of(whole, SUBJECTS[0], "R12")["closed"].outcome == "unknown"


def test_outside_labs_a_limit_of_the_system_is_a_warning() -> None:
    whole = each(each(session("small"), SUBJECTS[0], as_fast_as(1.0)), SUBJECTS[1], as_fast_as(1.0))
    found = of(each(whole, SUBJECTS[1], idle(0.5)), SUBJECTS[1], "R12")["closed"]
    assert found.outcome == "warn"


# R14


def asking(change: Callable[[DatabaseWork], DatabaseWork]) -> Change:
    return lambda found: found.model_copy(update={"database": tuple(change(work) for work in found.database)})


def statements(change: Callable[[Statement], Statement | None], *more: Statement) -> Change:
    return asking(
        lambda work: work.model_copy(
            update={
                "statements": (
                    *(one for old in work.statements if (one := change(old)) is not None),
                    *more,
                )
            }
        )
    )


def n_plus_1(old: Statement) -> Statement:
    """The prices of each of ten fruits asked for one by one: the same rows by ten times the calls."""
    return old.model_copy(update={"calls": old.calls * 10}) if "store_fruit_prices" in old.query else old


def transactions(factor: float) -> Change:
    return asking(lambda work: work.model_copy(update={"commits": round(work.commits * factor)}))


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
            statements(
                lambda old: old, Statement(query="UPDATE fruits SET seen = $1", calls=200_000, rows=0)
            ),
            "Calls of update on fruits",
        ),
    ],
)
def test_other_work_is_not_the_same_work_faster(change: Change, words: str) -> None:
    whole = each(session(), SUBJECTS[1], change)
    found = of(whole, SUBJECTS[1], "R14")["closed"]
    assert found.outcome == "invalid" and words in found.reading, found.reading
    # Who does as most do is not blamed for the other.
    for subject in (SUBJECTS[0], SUBJECTS[2]):
        assert of(whole, subject, "R14")["closed"].outcome == "pass"


@pytest.mark.parametrize(
    "change",
    [
        statements(
            lambda old: old.model_copy(update={"query": old.query.replace("SELECT *", "select f1_0.id")})
        ),
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
    """A session in which one trial does other work and is of a subject with this setting; and that trial's number."""
    whole = session()
    number = measured(whole, SUBJECTS[1])[0]
    planned = whole.plan.trials[number - 1].model_copy(update={"subject": f"{SUBJECTS[1]}+{setting}"})
    there = TrialFacts(
        planned, whole.trials[number].scenario, statements(n_plus_1)(whole.trials[number].evidence)
    )
    return SessionFacts(whole.plan, whole.host, {**whole.trials, number: there}), number


def test_a_difference_that_a_setting_declares_is_printed_and_kept() -> None:
    declared, number = with_other_work("sql=join")
    found = findings(declared, number, "R14")["closed"]
    assert found.outcome == "pass" and found.reading.endswith(", as sql=join declares."), found.reading
    # And it is no yardstick of those that declare nothing.
    assert of(declared, SUBJECTS[0], "R14")["closed"].outcome == "pass"


def test_a_tuned_profile_declares_no_other_work() -> None:
    """Both profiles keep the contract: what is tuned is how the same is asked."""
    declared, number = with_other_work("profile=tuned")
    assert findings(declared, number, "R14")["closed"].outcome == "invalid"


def test_where_nothing_counts_statements_nothing_is_known() -> None:
    whole = session(blocks=1)
    for trial in whole.plan.trials:
        whole = damaged(whole, trial.number, statements(lambda old: None))
    assert findings(whole, measured(whole)[0], "R14")["closed"].outcome == "unknown"


def test_whose_requests_failed_is_no_yardstick() -> None:
    """Of two, the control decides: but not one that answered nothing."""

    def failing(found: Evidence) -> Evidence:
        broken = tuple(load.model_copy(update={"failed": 10}) for load in found.load)
        return statements(lambda old: None)(found.model_copy(update={"load": broken}))

    whole = each(session(), SUBJECTS[1], failing)
    assert of(whole, SUBJECTS[1], "R14")["closed"].outcome == "invalid"
    for subject in (SUBJECTS[0], SUBJECTS[2]):
        assert of(whole, subject, "R14")["closed"].outcome == "pass"
    alone = each(session(subjects=SUBJECTS[:1]), CONTROL, failing)
    assert of(alone, SUBJECTS[0], "R14")["closed"].outcome == "n/a"


def test_what_finds_or_inserts_by_what_the_table_holds_is_not_compared() -> None:
    whole = session()
    its = whole.plan.scenarios[0].model_copy(update={"grows": ("fruits",)})

    def inserting(found: Evidence) -> Evidence:
        return asking(lambda work: work.model_copy(update={"rows_inserted": {"fruits": 500}}))(found)

    for number, facts in whole.trials.items():
        odd = statements(n_plus_1) if facts.planned.subject == SUBJECTS[1] else with_fields()
        whole = damaged(whole, number, lambda found, odd=odd: inserting(odd(found)), its)  # type: ignore[misc]
    found = of(whole, SUBJECTS[1], "R14")["closed"]
    assert found.outcome == "n/a" and "finds or inserts" in found.reading


def test_who_was_asked_for_something_else_is_no_yardstick() -> None:
    """The control reads where the others write."""
    whole = session(subjects=SUBJECTS[:1])
    its = whole.plan.scenarios[0].model_copy(
        update={"operation": "POST /fruits", "control_operation": "GET /fruits/{name}"}
    )
    for number, facts in whole.trials.items():
        odd = statements(n_plus_1) if facts.planned.subject == CONTROL else with_fields()
        whole = damaged(whole, number, odd, its)
    assert of(whole, SUBJECTS[0], "R14")["closed"].outcome == "n/a"


# R15


def said(**database: object) -> Change:
    def change(found: Evidence) -> Evidence:
        told = found.environment or {}
        return found.model_copy(
            update={"environment": {**told, "database": {**told.get("database", {}), **database}}}
        )

    return change


@pytest.mark.parametrize(
    ("change", "outcome", "words"),
    [
        (
            said(isolation="serializable"),
            "invalid",
            "Transactions are serializable where the contract asks for",
        ),
        (said(synchronous_commit="off"), "invalid", "synchronous_commit off: commits are answered too early"),
        (
            with_fields(database_settings={"fsync": "off", "full_page_writes": "on"}),
            "invalid",
            "The server has fsync off",
        ),
        (
            with_fields(
                database_settings={"innodb_flush_log_at_trx_commit": "2", "innodb_doublewrite": "ON"}
            ),
            "invalid",
            "The server has innodb_flush_log_at_trx_commit 2",
        ),
        (
            with_fields(
                database_settings={"innodb_flush_log_at_trx_commit": "1", "innodb_doublewrite": "ON"}
            ),
            "pass",
            "a commit is on disk when it is answered.",
        ),
        (said(isolation=None), "unknown", "did not say what its transactions promise"),
        (
            with_fields(database_settings={"fsync": "on"}),
            "unknown",
            "did not say whether a commit is on disk",
        ),
    ],
)
def test_transactions_mean_the_same(change: Change, outcome: str, words: str) -> None:
    whole = session()
    number = measured(whole)[0]
    found = findings(damaged(whole, number, change), number, "R15")[None]
    assert (found.outcome, words in found.reading) == (outcome, True), found.reading


def test_without_a_database_none_of_them_is_asked() -> None:
    whole = session()
    number = measured(whole)[0]
    its = whole.trials[number].scenario.model_copy(update={"uses_database": False})
    bare = damaged(whole, number, lambda found: evidence(whole.plan.trials[number - 1], whole.plan.sets), its)
    for rule in ("R14", "R15"):
        assert {finding.outcome for finding in findings(bare, number, rule).values()} == {"n/a"}
