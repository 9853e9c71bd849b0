"""R3: event loops share the work."""

from __future__ import annotations

from dataclasses import replace

import pytest

from plumbline.model.evidence import ThreadUse
from tests.judge.damage import (
    Change,
    both,
    damaged,
    each,
    findings,
    in_batches,
    measured,
    of,
    with_environment,
    with_fields,
)
from tests.judge.evidence import session
from tests.judge.planned import SUBJECTS

LOOPS = SUBJECTS[2]


def threads(*cpu_us: int, others_us: int = 0) -> Change:
    """Threads of the closed phase with this CPU time each, and one row for all other threads where they used any."""
    uses = [ThreadUse(phase="closed", name=f"eventloop-{number}", cpu_us=us) for number, us in enumerate(cpu_us)]
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


def test_one_loop_that_works_on_a_batch_is_a_finding_beside_the_figure() -> None:
    whole = session()
    number = measured(whole, LOOPS)[0]
    found = findings(in_batches(damaged(whole, number, threads(1000, 60))), number, "R3")["closed"]
    assert (found.outcome, "eventloop-0 alone did" in found.reading) == ("warn", True)


@pytest.mark.parametrize(
    ("subject", "outcome"),
    [
        ("spring4-webflux-r2dbc/jvm/pg", "warn"),
        ("spring4-webflux-r2dbc/jvm/pg+r2dbc-loops=own", "invalid"),
        # What a program says of itself excuses nothing.
        (LOOPS, "invalid"),
    ],
)
def test_in_an_older_plan_the_name_says_whose_driver_chooses_its_loops(subject: str, outcome: str) -> None:
    whole = session()
    number = measured(whole, LOOPS)[0]
    change = both(threads(1000, 60), with_environment(settings={"db_tls": "require", "r2dbc_loops": "driver"}))
    whole = damaged(whole, number, change)
    facts = whole.trials[number]
    named = replace(facts, planned=facts.planned.model_copy(update={"subject": subject}))
    plan = whole.plan.model_copy(update={"event_loops": (subject,)})
    found = findings(replace(whole, plan=plan, trials={**whole.trials, number: named}), number, "R3")["closed"]
    assert found.outcome == outcome
    assert "eventloop-0 alone did" in found.reading


@pytest.mark.parametrize("outcome", ["warn", "invalid"])
def test_the_plan_says_whose_driver_chooses_its_loops(outcome: str) -> None:
    whole = session()
    number = measured(whole, LOOPS)[0]
    chosen = (LOOPS,) if outcome == "warn" else ()
    plan = whole.plan.model_copy(update={"driver_loops": chosen})
    found = findings(damaged(replace(whole, plan=plan), number, threads(1000, 60)), number, "R3")["closed"]
    assert found.outcome == outcome, found.reading


def test_compilers_and_collectors_share_no_work() -> None:
    """So a program with one loop on two CPUs was observed: the compiler alone had half of the CPU time."""
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
