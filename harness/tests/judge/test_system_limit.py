"""R12: two subjects that are equally fast while one of them idles have met a limit of the system."""

from __future__ import annotations

from dataclasses import replace

import pytest

from plumbline.model.evidence import Evidence
from plumbline.verdicts.judge.facts import SessionFacts
from tests.judge.damage import (
    Change,
    each,
    in_batches,
    of,
    with_column,
)
from tests.judge.evidence import session
from tests.judge.planned import CAPACITY, SUBJECTS


def as_fast_as(factor: float) -> Change:
    """The first subject's throughput times a factor."""

    def change(evidence: Evidence) -> Evidence:
        loads = tuple(
            load.model_copy(update={"completed": round(CAPACITY[SUBJECTS[0]] * factor * load.window_s)})
            if load.phase == "closed"
            else load
            for load in evidence.load
        )
        return evidence.model_copy(update={"load": loads})

    return change


def idle(share: float) -> Change:
    """The application's CPUs idle for a share of what they were busy."""

    def change(evidence: Evidence) -> Evidence:
        busy = evidence.series.columns["set.app.busy_us"]
        busy_at = dict(zip(evidence.series.t_s, busy, strict=True))
        evidence = with_column("set.app.idle_us", lambda t_s, value: value + share * (busy_at[t_s] or 0.0))(evidence)
        return with_column("set.app.busy_us", lambda _, value: value * (1 - share))(evidence)

    return change


def similar(factor: float, idle_share: float) -> SessionFacts:
    whole = each(session(), SUBJECTS[0], as_fast_as(1.0))
    return each(each(whole, SUBJECTS[1], as_fast_as(factor)), SUBJECTS[1], idle(idle_share))


@pytest.mark.parametrize("subject", SUBJECTS[:2])
def test_two_alike_while_one_idles_have_met_a_limit_of_the_system(subject: str) -> None:
    found = of(similar(1.01, 0.4), subject, "R12")["closed"]
    assert found.outcome == "invalid"
    assert f"while {SUBJECTS[1]} used 58 % of its CPU: a limit of the system, not of either" in found.reading
    assert of(in_batches(similar(1.01, 0.4)), subject, "R12")["closed"].outcome == "warn"


@pytest.mark.parametrize(("idle_share", "outcome"), [(0.04, "warn"), (0.10, "invalid")])
def test_two_alike_are_refused_only_where_r1_refuses_the_idler(idle_share: float, outcome: str) -> None:
    whole = similar(1.01, idle_share)
    found = {rule: of(whole, SUBJECTS[1], rule)["closed"].outcome for rule in ("R1", "R12")}
    assert found == {"R1": outcome, "R12": outcome}
    assert of(whole, SUBJECTS[0], "R12")["closed"].outcome == outcome


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


def test_a_subject_that_used_up_the_share_of_its_setting_did_not_idle() -> None:
    whole = similar(1.01, 0.5)
    subject = f"{SUBJECTS[1]}+cpu-share=50"
    shared = replace(
        whole,
        trials={
            number: replace(facts, planned=facts.planned.model_copy(update={"subject": subject}))
            if facts.planned.subject == SUBJECTS[1]
            else facts
            for number, facts in whole.trials.items()
        },
    )
    assert of(whole, SUBJECTS[0], "R12")["closed"].outcome == "invalid"
    assert of(shared, SUBJECTS[0], "R12")["closed"].outcome == "pass"


def test_outside_labs_a_limit_of_the_system_is_a_warning() -> None:
    whole = each(each(session("small"), SUBJECTS[0], as_fast_as(1.0)), SUBJECTS[1], as_fast_as(1.0))
    found = of(each(whole, SUBJECTS[1], idle(0.5)), SUBJECTS[1], "R12")["closed"]
    assert found.outcome == "warn"
