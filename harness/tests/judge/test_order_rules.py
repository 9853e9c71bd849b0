"""R30 and R32, each on clean sessions and on the faults that the rule is there for."""

from __future__ import annotations

import math
import random
import re
from collections.abc import Callable
from dataclasses import replace

import pytest

from plumbline.model.comparison import ComparisonPlan, Contest, Side, SideSource
from plumbline.model.data_access import DataAccess
from plumbline.model.evidence import Evidence
from plumbline.model.plan import Budget, PlannedTrial
from plumbline.verdicts.judge.facts import SessionFacts, TrialFacts
from plumbline.verdicts.judge.referee import trial_verdict
from tests.judge.damage import damaged, findings, measured, with_column, with_load
from tests.judge.evidence import session
from tests.judge.planned import CAPACITY, SUBJECTS

TWO = SUBJECTS[:2]


def slower(whole: SessionFacts, factor: Callable[[PlannedTrial, int], float]) -> SessionFacts:
    """Throughput of each measured trial: the subject's capacity times factor(trial, place in its block)."""
    places: dict[int, int] = {}
    for planned in whole.plan.trials:
        if planned.role == "measured":
            place = places[planned.block] = places.get(planned.block, 0) + 1
            load = next(
                load_result
                for load_result in whole.trials[planned.number].evidence.load
                if load_result.phase == "closed"
            )
            completed = round(CAPACITY[planned.subject] * load.window_s * factor(planned, place))
            whole = damaged(whole, planned.number, with_load("closed", completed=completed))
    return whole


def wobble(planned: PlannedTrial) -> float:
    """A little noise, always the same for the same trial."""
    return math.exp(random.Random(planned.number).gauss(0, 0.005))


def rerun_in_order(whole: SessionFacts) -> SessionFacts:
    """The same subjects, in the same order in every block."""
    trials = []
    for block in range(whole.plan.blocks + 1):
        block_trials = [planned for planned in whole.plan.trials if planned.block == block]
        order = iter(sorted(planned.subject for planned in block_trials if planned.role == "measured"))
        trials += [
            planned.model_copy(update={"subject": next(order)}) if planned.role == "measured" else planned
            for planned in block_trials
        ]
    by_subject: dict[str, list[Evidence]] = {}
    for facts in whole.trials.values():
        by_subject.setdefault(facts.planned.subject, []).append(facts.evidence)
    facts_by_number = {
        planned.number: TrialFacts(planned, whole.plan.scenarios[0], by_subject[planned.subject].pop(0))
        for planned in trials
    }
    return replace(whole, plan=whole.plan.model_copy(update={"trials": tuple(trials)}), trials=facts_by_number)


# --- R30


def test_seconds_alike_pass() -> None:
    found = findings(session(), measured(session())[0], "R30")
    assert {phase: finding.outcome for phase, finding in found.items()} == {
        "closed": "pass",
        "open@500": "pass",
    }


def test_an_odd_second_is_told_and_kept() -> None:
    whole = session()
    number = measured(whole)[0]
    stalled = with_column("load.requests", lambda t_s, count: count - (3500 if t_s >= 40 else 0))
    found = findings(damaged(whole, number, stalled), number, "R30")["closed"]
    assert (found.outcome, found.value) == ("warn", 1)
    assert "1 odd second of" in found.reading and "kept" in found.reading
    # An odd second alone never leaves a trial out.
    assert trial_verdict([found], "lab") == "advisory"


@pytest.mark.parametrize("batch_s", [0.23, 4.1])
def test_a_second_with_one_batch_more_is_not_odd(batch_s: float) -> None:
    whole = session()
    number = measured(whole)[0]
    batches = with_column("load.requests", lambda t_s, _: t_s // batch_s)
    found = findings(damaged(whole, number, batches), number, "R30")["closed"]
    assert found.outcome == "pass", found.reading


def test_picked_seconds_are_invalid() -> None:
    whole = session()
    number = measured(whole)[0]
    best = with_load("closed", window_s=20.0, completed=20 * 4100)
    found = findings(damaged(whole, number, best), number, "R30")["closed"]
    assert (found.outcome, found.value) == ("invalid", 45)
    assert found.reading == "Figures are of 20 s out of 65 s of load: picked seconds."


def test_a_window_of_the_best_seconds_is_invalid() -> None:
    whole = session()
    number = measured(whole)[0]

    def narrowed(evidence: Evidence) -> Evidence:
        windows = tuple(
            window.model_copy(update={"start_s": 50.0}) if window.phase == "closed" else window
            for window in evidence.windows
        )
        return evidence.model_copy(update={"windows": windows})

    found = findings(damaged(whole, number, narrowed), number, "R30")["closed"]
    assert (found.outcome, "31 s out of 65 s" in found.reading) == ("invalid", True)


def test_a_trial_that_was_left_out_is_told_on_its_subjects_others() -> None:
    whole = session()
    gone, *kept = measured(whole)
    without = replace(whole, trials={number: facts for number, facts in whole.trials.items() if number != gone})
    found = findings(without, kept[0], "R30")["closed"]
    assert (found.outcome, f"Trial {gone} of this subject was left out" in found.reading) == ("invalid", True)
    other = measured(whole, SUBJECTS[1])[0]
    assert findings(without, other, "R30")["closed"].outcome == "pass"


def test_a_session_that_was_cut_short_picked_nothing() -> None:
    whole = session()
    last = measured(whole)[3]
    cut = replace(whole, trials={number: facts for number, facts in whole.trials.items() if number <= last})
    assert findings(cut, last, "R30")["closed"].outcome == "pass"


def test_few_seconds_show_no_odd_one() -> None:
    whole = session()
    number = measured(whole)[0]
    scenario = whole.plan.scenarios[0]
    short = scenario.model_copy(
        update={
            "phases": tuple(
                phase.model_copy(update={"duration_s": 3.0}) if phase.kind == "closed" else phase
                for phase in scenario.phases
            )
        }
    )

    def brief(evidence: Evidence) -> Evidence:
        windows = tuple(
            window.model_copy(update={"end_s": window.start_s + 3}) if window.phase == "closed" else window
            for window in evidence.windows
        )
        return evidence.model_copy(update={"windows": windows})

    found = findings(damaged(whole, number, brief, short), number, "R30")["closed"]
    assert (found.outcome, found.reading) == ("n/a", "It takes 10 s to tell an odd second from the others.")


# --- R32


def test_no_order_effect_in_a_clean_session() -> None:
    found = findings(session(), measured(session())[0], "R32")[None]
    assert (found.outcome, found.reading) == (
        "pass",
        "In 5 blocks neither place nor time decided what was measured.",
    )


def test_few_blocks_show_no_order_effect() -> None:
    whole = session(blocks=3)
    assert findings(whole, measured(whole)[0], "R32")[None].outcome == "n/a"


def test_blocks_that_are_not_whole_leave_it_unknown() -> None:
    whole = session()
    gone = measured(whole)[1]
    without = replace(whole, trials={number: facts for number, facts in whole.trials.items() if number != gone})
    found = findings(without, measured(whole)[0], "R32")[None]
    assert (found.outcome, found.reading) == ("unknown", "4 blocks of 5 are whole, and it takes 5.")


@pytest.mark.parametrize("sign", [1, -1])
def test_an_order_effect_that_abba_cancels_is_told(sign: int) -> None:
    whole = slower(
        session(blocks=6, subjects=TWO),
        lambda planned, place: wobble(planned) * math.exp(-sign * 0.1 * place),
    )
    found = findings(whole, measured(whole)[0], "R32")[None]
    assert found.outcome == "warn"
    assert "; the orders cancel it." in found.reading


def test_an_order_effect_under_uneven_orders_is_invalid() -> None:
    # Three subjects in five random orders: their mean places differ.
    whole = slower(session(), lambda planned, place: wobble(planned) * math.exp(-0.1 * place))
    found = findings(whole, measured(whole)[0], "R32")[None]
    assert (found.outcome, found.threshold) == ("invalid", 0.005)
    assert "uneven orders leave" in found.reading


def test_the_same_order_in_every_block_is_invalid() -> None:
    whole = rerun_in_order(session(blocks=6, subjects=TWO))
    found = findings(whole, measured(whole)[0], "R32")[None]
    assert (found.outcome, "same order in every block" in found.reading) == ("invalid", True)


def test_a_scenario_that_some_subjects_do_not_take_is_judged_by_those_that_take_it() -> None:
    """A plan of several scenarios may have subjects that take only one of them."""
    whole = session(blocks=6, subjects=TWO)
    partial = replace(whole, plan=whole.plan.model_copy(update={"subjects": (*TWO, SUBJECTS[2])}))
    found = findings(partial, measured(whole)[0], "R32")[None]
    assert (found.outcome, "In 6 blocks" in found.reading) == ("pass", True)


def test_a_class_with_fewer_blocks_than_others_is_judged_by_its_own() -> None:
    """With a budget a class whose orders are decided has no more blocks."""
    whole = session(blocks=8)
    of_sql = [trial for trial in whole.plan.trials if trial.subject == SUBJECTS[2] and trial.block > 6]
    gone = {trial.number for trial in of_sql}
    budget = Budget(budget_s=600, looks=(8,), level=0.01)
    kept = tuple(trial for trial in whole.plan.trials if trial.number not in gone)
    access: dict[str, DataAccess] = {TWO[0]: "orm", TWO[1]: "orm", SUBJECTS[2]: "sql"}
    plan = whole.plan.model_copy(update={"trials": kept, "budget": budget, "data_access": access})
    trials = {number: facts for number, facts in whole.trials.items() if number not in gone}
    for subject, blocks in ((TWO[0], 8), (SUBJECTS[2], 6)):
        found = findings(replace(whole, plan=plan, trials=trials), measured(whole, subject)[0], "R32")[None]
        assert (found.outcome, f"In {blocks} blocks" in found.reading) == ("pass", True), found.reading


def test_blocks_are_counted_by_their_trials() -> None:
    """The number of blocks that a plan states switches no rule off."""
    whole = rerun_in_order(session(blocks=6))
    fewer = replace(whole, plan=whole.plan.model_copy(update={"blocks": 4}))
    assert findings(fewer, measured(whole)[0], "R32")[None].outcome == "invalid"


def test_another_load_than_planned_is_invalid() -> None:
    whole = session()
    number = measured(whole)[0]
    for phase, field, amount in (("closed", "connections", 10), ("open@500", "rate_per_s", 50)):
        found = findings(damaged(whole, number, with_load(phase, **{field: amount})), number, "R30")[phase]
        assert (found.outcome, "and the plan asks for" in found.reading) == ("invalid", True)


def test_a_drift_is_told() -> None:
    whole = slower(session(blocks=8), lambda planned, place: wobble(planned) * math.exp(-0.01 * planned.block))
    found = findings(whole, measured(whole)[0], "R32")[None]
    assert found.outcome == "warn"
    assert re.search(r"All subjects measured [0-9.]+ % less in the last block than in the first", found.reading)


def test_the_order_effect_of_open_load_alone_is_told_by_its_latency() -> None:
    whole, place = session(), dict[int, int]()
    scenario = whole.plan.scenarios[0]
    opened = scenario.model_copy(update={"phases": tuple(p for p in scenario.phases if p.kind != "closed")})
    for planned in whole.plan.trials:
        if planned.role == "measured":
            place[planned.block] = place.get(planned.block, 0) + 1
            latency_ms = 1.4 * wobble(planned) * math.exp(0.1 * place[planned.block])
            change = with_load("open@500", latency_mean_ms=latency_ms)
            whole = damaged(whole, planned.number, change, opened)
    found = findings(whole, measured(whole)[0], "R32")[None]
    assert (found.outcome, "A trial one place later in its block measures 1" in found.reading) == ("invalid", True)


@pytest.mark.parametrize("subjects", [TWO, SUBJECTS])
def test_clean_sessions_are_hardly_ever_blamed(subjects: tuple[str, ...]) -> None:
    """Of 300 sessions at most 12 are warned at a level of 1 % and at most 3 refused at 0.1 %, in 999 runs of 1,000."""
    draw = random.Random(20261121)
    whole = session(blocks=6, subjects=subjects)
    outcomes = []
    for _ in range(300):
        noisy = slower(whole, lambda planned, place: math.exp(draw.gauss(0, 0.01)))
        outcomes.append(findings(noisy, measured(whole)[0], "R32")[None].outcome)
    assert outcomes.count("warn") <= 12
    assert outcomes.count("invalid") <= 3


# --- in a comparison


def compared(pairs: int, ran: int | None = None) -> SessionFacts:
    """Two contests of `pairs` planned pairs each; of the first contest only the first `ran` pairs were run."""
    whole = session(blocks=pairs, subjects=TWO)
    source = SideSource(given="main", kind="ref", commit="0" * 40)
    contests = (Contest(base=TWO[0], head=TWO[0]), Contest(base=TWO[1], head=TWO[1]))
    comparison = ComparisonPlan(
        design="interleaved",
        base=source,
        head=source,
        contests=contests,
        looks=(pairs,),
        level=0.01,
        budget_s=60,
    )
    usual_evidence = {subject: whole.trials[measured(whole, subject)[0]].evidence for subject in TWO}
    planned: list[PlannedTrial] = []
    for subject in TWO:
        for block in range(1, pairs + 1):
            sides: tuple[Side, ...] = ("base", "head") if block % 2 else ("head", "base")
            for side in sides:
                planned.append(
                    PlannedTrial(
                        number=len(planned) + 1,
                        block=block,
                        subject=subject,
                        scenario=whole.plan.scenarios[0].id,
                        role="measured",
                        side=side,
                    )
                )
    plan = whole.plan.model_copy(update={"trials": tuple(planned), "comparison": comparison, "blocks": pairs})
    draw = random.Random(7)
    facts_by_number = {}
    for trial in planned:
        if trial.subject == TWO[0] and trial.block > (ran or pairs):
            continue
        load = tuple(
            load.model_copy(update={"completed": round(load.completed * math.exp(draw.gauss(0, 0.01)))})
            for load in usual_evidence[trial.subject].load
        )
        evidence = usual_evidence[trial.subject].model_copy(update={"load": load})
        facts_by_number[trial.number] = TrialFacts(trial, whole.plan.scenarios[0], evidence)
    return replace(whole, plan=plan, trials=facts_by_number)


def test_a_contest_that_was_decided_early_left_nothing_out() -> None:
    whole = compared(8, ran=6)
    outcomes = {finding.outcome for number in whole.trials for finding in findings(whole, number, "R30").values()}
    assert outcomes == {"pass"}


def test_a_pair_that_is_gone_from_the_middle_of_a_contest_is_told() -> None:
    whole = compared(8, ran=6)
    gone = replace(whole, trials={number: facts for number, facts in whole.trials.items() if number not in (5, 6)})
    found = findings(gone, 1, "R30")["closed"]
    assert (found.outcome, "was left out" in found.reading) == ("invalid", True)
