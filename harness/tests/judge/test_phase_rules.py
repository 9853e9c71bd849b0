"""Rules on one trial: each rule with evidence of the fault that the rule is there for, on a lab host."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from plumbline.model.evidence import Evidence, LogSummary
from plumbline.model.record import Finding
from plumbline.verdicts.judge.referee import judge
from plumbline.verdicts.judge.wording import percent
from tests.judge.damage import (
    Change,
    both,
    damaged,
    findings,
    measured,
    with_column,
    with_fields,
    with_load,
)
from tests.judge.evidence import TIMES, session
from tests.judge.hidden_faults import HIDDEN, TWO_IN_USE_WITH_TIME_TO_SPARE
from tests.judge.invented_faults import INVENTED
from tests.judge.phase_faults import (
    CASES,
    frozen,
    grown,
    idle_app,
)


@pytest.mark.parametrize("case", CASES | HIDDEN | INVENTED)
def test_fault_is_named_by_its_rule(case: str) -> None:
    rule, phase, change, outcome, words = (CASES | HIDDEN | INVENTED)[case]
    whole = session(blocks=5)
    number = measured(whole)[1]
    found = findings(damaged(whole, number, change), number, rule)[phase]
    assert found.outcome == outcome, found.reading
    assert words in found.reading
    assert not re.search(r"\d%", found.reading), "a number and its per cent stand apart in every other reading"


@pytest.mark.parametrize(
    ("interrupts", "used", "whose"), [(0.15, "Others used", "neighbour"), (0.28, "up to", "apart")]
)
def test_a_warm_up_is_told_by_the_bound_that_decides(interrupts: float, used: str, whose: str) -> None:
    """Of 30 % of the CPU time interrupts had a part, by a kernel that does not count all of them apart."""
    whole = session(blocks=5)
    number = measured(whole)[1]
    start_s, cpus_us = TIMES["warm-up"][0], 4e6
    change = both(
        grown("set.app.busy_us", 0.3 * cpus_us, start_s), grown("set.app.softirq_us", interrupts * cpus_us, start_s)
    )
    found = findings(damaged(whole, number, change), number, "R18")["warm-up"]
    assert found.outcome == "warn" and found.value is not None
    assert f"{used} {percent(found.value)} of" in found.reading and whose in found.reading
    assert ("neighbour, who" in found.reading) == (whose == "neighbour")


def test_what_fails_while_warming_up_is_told_and_ends_nothing() -> None:
    whole = session(blocks=5)
    number = measured(whole)[1]
    damage = with_load("warm-up", failed=1, statuses={"2xx": 3999, "5xx": 1}, timeouts=1)
    found = findings(damaged(whole, number, damage), number, "R7")
    assert found["warm-up"].outcome == "pass" and found["closed"].outcome == "pass"
    assert "1 request of" in found["warm-up"].reading and "counted in no figure" in found["warm-up"].reading


def test_what_the_application_logs_while_warming_up_is_told_and_ends_nothing() -> None:
    whole = session(blocks=5)
    number = measured(whole)[1]

    def logged(errors: int, while_warming: int) -> Finding:
        log = LogSummary(
            bytes=90, lines=errors, errors=errors, exceptions=0, first_error="no", while_warming=while_warming
        )
        broken = damaged(whole, number, with_fields(logs={**whole.trials[number].evidence.logs, "app": log}))
        return findings(broken, number, "R7")[None]

    assert logged(2, 2).outcome == "pass" and "of its warm-up: no" in logged(2, 2).reading
    assert logged(3, 2).outcome == "invalid"


def test_a_fault_of_one_trial_is_not_the_others() -> None:
    whole = session()
    number = measured(whole)[1]
    after = judge(damaged(whole, number, with_load("closed", failed=1)))
    before = judge(whole)
    outcomes_before, outcomes_after = (
        {other: [finding.outcome for finding in found] for other, found in judged.items()} for judged in (before, after)
    )
    assert {other for other in before if outcomes_before[other] != outcomes_after[other]} == {number}
    # Of the processes of this subject, one fewer proves how steady they are.
    readings = {
        finding.rule
        for other in before
        if other != number
        for finding, changed in zip(before[other], after[other], strict=True)
        if finding != changed
    }
    assert readings == {"R29"}


@pytest.mark.parametrize(
    ("said", "outcome"),
    [
        ({"pool_warm_up": "off", "pool_initial": "max"}, "warn"),
        ({"pool_warm_up": "on", "pool_initial": "half"}, "warn"),
        ({"pool_warm_up": "on", "pool_initial": "max"}, "invalid"),
    ],
)
def test_a_pool_that_grows_as_it_likes_is_a_finding_beside_the_figure(said: dict[str, str], outcome: str) -> None:
    whole = session()
    number = measured(whole)[1]

    def change(evidence: Evidence) -> Evidence:
        environment = {**(evidence.environment or {}), "settings": {"db_tls": "off", **said}}
        fewer = with_column("db.connections", lambda t_s, _: 8.0)(evidence)
        return fewer.model_copy(update={"environment": environment})

    found = findings(damaged(whole, number, change), number, "R10")["closed"]
    assert found.outcome == outcome
    assert "8 connections were open where the pool has 20" in found.reading


def test_seldom_active_over_many_samples_is_invalid() -> None:
    whole = session()
    number = measured(whole)[1]
    trial = whole.trials[number]
    windows = tuple(
        window.model_copy(update={"end_s": 40.0}) if window.phase == "closed" else window
        for window in trial.evidence.windows
    )
    change = both(with_column("db.active", lambda *_: 0.0), with_fields(windows=windows))
    assert findings(damaged(whole, number, change), number, "R10")["closed"].outcome == "invalid"


@pytest.mark.parametrize(("samples", "outcome"), [(8, "invalid"), (7, "warn")])
def test_two_of_twenty_connections_in_use_in_each_process_of_a_subject_are_refused(samples: int, outcome: str) -> None:
    """Fewer samples may all have met a moment with few connections in use: then the finding is a mere doubt."""
    whole = session(blocks=5)
    contender = whole.trials[measured(whole)[1]].planned.contender
    numbers = [number for number in measured(whole) if whole.trials[number].planned.contender == contender]
    assert len(numbers) > 1
    start_s = TIMES["closed"][0]

    def fewer(evidence: Evidence) -> Evidence:
        # The first row lies 0.6 s after the start.
        windows = [
            window.model_copy(update={"end_s": start_s + samples}) if window.phase == "closed" else window
            for window in evidence.windows
        ]
        return evidence.model_copy(update={"windows": tuple(windows)})

    for number in numbers:
        whole = damaged(whole, number, both(TWO_IN_USE_WITH_TIME_TO_SPARE, fewer))
    found = [findings(whole, number, "R10")["closed"] for number in numbers]
    assert {finding.outcome for finding in found} == {outcome}
    assert "2 of 20 connections were in use at once, at most, of other subjects" in found[0].reading


@pytest.mark.parametrize(("seen", "outcome"), [(1, "unknown"), (9, "unknown"), (10, "invalid")])
def test_few_sessions_that_wait_for_a_lock_prove_nothing(seen: int, outcome: str) -> None:
    whole = session()
    number = measured(whole)[1]
    began_s = TIMES["closed"][0]

    def waits(t_s: float, _: float) -> float:
        return float(began_s <= t_s < began_s + seen)

    changed = damaged(whole, number, both(with_column("db.active", waits), with_column("db.waiting_locks", waits)))
    found = findings(changed, number, "R11")["closed"]
    assert found.outcome == outcome, found.reading
    if outcome == "unknown":
        assert f"{seen} of {seen} session" in found.reading and "too few to tell" in found.reading


def test_pressure_of_the_host_bounds_that_of_the_database() -> None:
    whole = session()
    number = measured(whole)[1]
    without = with_column("db.psi.io.some_us", None)
    assert findings(damaged(whole, number, without), number, "R11")["closed"].outcome == "pass"
    change = both(without, grown("psi.io.some_us", 300_000))
    found = findings(damaged(whole, number, change), number, "R11")["closed"]
    assert found.outcome == "unknown"
    assert "the database's part of it is not known" in found.reading


@pytest.mark.parametrize(("edge", "at_s"), [("start_s", -1e307), ("start_s", -2.8e9), ("end_s", 1e307)])
def test_a_phase_that_never_ends_or_began_is_judged_in_no_time(edge: str, at_s: float) -> None:
    """With such windows in damaged records, R9 never came to an end."""

    def endless(evidence: Evidence) -> Evidence:
        windows = (
            window.model_copy(update={edge: at_s}) if window.phase == "closed" else window
            for window in evidence.windows
        )
        return evidence.model_copy(update={"windows": tuple(windows)})

    whole = session(blocks=5)
    number = measured(whole)[1]
    assert findings(damaged(whole, number, endless), number, "R9")["closed"].outcome != "pass"


BATCH_S = 4.1


@pytest.mark.parametrize(("stalls_until_s", "outcome"), [(0.0, "pass"), (41.0, "invalid")])
def test_batches_of_seconds_go_on_batch_by_batch(stalls_until_s: float, outcome: str) -> None:
    """Forty queries of two seconds over a pool of twenty: no answer comes within three seconds."""
    whole = session()
    number = measured(whole)[1]
    scenario = whole.plan.scenarios[0].model_copy(update={"operation": "GET /benchmark?query=sleep&count=40"})
    start_s, end_s = TIMES["closed"]

    def batches(t_s: float, _: float) -> float:
        running_s = min(t_s, end_s) - start_s
        return 0.0 if running_s < stalls_until_s else running_s // BATCH_S

    change = both(
        with_column("load.requests", batches),
        with_column("db.commits", lambda t_s, _: 40 * batches(t_s, 0.0)),
        with_load("closed", requests=15, completed=15, latency_min_ms=1000 * BATCH_S, latency_max_ms=41_000.0),
    )
    found = findings(damaged(whole, number, change, scenario), number, "R9")["closed"]
    assert found.outcome == outcome, found.reading


@pytest.mark.parametrize(
    ("engine", "change", "outcome"),
    [
        ("pg", with_column("db.commits", lambda *_: 7.0), "invalid"),
        ("mysql", with_column("db.commits", lambda *_: 7.0), "pass"),
        ("mysql", frozen("load.requests", TIMES["closed"][0] + 5, TIMES["closed"][0] + 11), "invalid"),
    ],
)
def test_mysql_counts_no_commit_of_a_batch(engine: str, change: Change, outcome: str) -> None:
    whole = session()
    number = measured(whole)[1]
    batch = whole.plan.scenarios[0].model_copy(update={"operation": "GET /benchmark?query=one&count=5000"})
    facts = damaged(whole, number, change, batch).trials[number]
    planned = facts.planned.model_copy(update={"subject": f"quarkus-rest-orm/jvm/{engine}"})
    trials = {**whole.trials, number: replace(facts, planned=planned)}
    found = findings(replace(whole, trials=trials), number, "R9")["closed"]
    assert (found.outcome, "commits" in found.reading) == (outcome, False), found.reading


def writing(evidence: Evidence) -> Evidence:
    """The evidence as if each phase had made rows."""
    database = (work.model_copy(update={"rows_inserted": {"fruits": 5000}}) for work in evidence.database)
    return evidence.model_copy(update={"database": tuple(database)})


WAITS_FOR_THE_DISK = both(grown("db.psi.io.some_us", 300_000), with_column("db.waiting_wal", lambda *_: 2.0))


@pytest.mark.parametrize(
    ("busy", "outcome", "phase"),
    [(0.97, "pass", "closed"), (0.93, "warn", "closed"), (0.71, "invalid", "closed"), (0.97, "pass", "open@500")],
)
def test_who_writes_waits_for_the_disk(busy: float, outcome: str, phase: str) -> None:
    """Each commit is on disk: the disk is the limit only where the application's CPUs are not used up."""
    whole = session()
    number = measured(whole)[1]
    change = both(writing, WAITS_FOR_THE_DISK, idle_app(busy))
    found = findings(damaged(whole, number, change), number, "R11")[phase]
    assert found.outcome == outcome, found.reading


def test_a_disk_that_is_waited_for_most_of_the_time_is_a_doubt_at_a_fixed_rate() -> None:
    whole = session()
    number = measured(whole)[1]
    change = both(writing, grown("db.psi.io.some_us", 600_000))
    found = findings(damaged(whole, number, change), number, "R11")["open@500"]
    assert (found.outcome, found.reading) == ("warn", "Somebody in the database waited for the disk 60 % of the time.")
