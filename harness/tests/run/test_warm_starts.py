"""A warm start is warm: after a cold start every other subject is started once before its next warm trial."""

from __future__ import annotations

from plumbline.measuring.run.measure import WarmStarts
from plumbline.model.plan import Plan, PlannedTrial
from plumbline.subjects.plan.duration import REHEARSAL_S, session_s
from tests.judge.planned import plan

A, B, COLD = "a/jvm/pg", "b/jvm/pg", "a/jvm/pg+page-cache=cold"


def planned(*subjects: str) -> Plan:
    whole = plan()
    trials = tuple(
        PlannedTrial(number=number, block=1, subject=subject, scenario=whole.scenarios[0].id, role="measured")
        for number, subject in enumerate(subjects, start=1)
    )
    return whole.model_copy(update={"subjects": tuple(dict.fromkeys(subjects)), "trials": trials})


def started_before(whole: Plan) -> list[int]:
    """The numbers of the trials whose subject is started once before the trial."""
    starts = WarmStarts(whole)
    return [trial.number for trial in whole.trials if starts.needs_start(trial)]


def test_without_a_cold_subject_nobody_starts_twice() -> None:
    assert started_before(planned(A, B, A)) == []


def test_after_each_cold_start_everybody_else_starts_once_before_his_next_trial() -> None:
    # The rehearsals emptied the cache, too: the first trial of each is the first to be warm.
    assert started_before(planned(A, A, B, COLD, COLD, B, A, B, A, COLD, A)) == [1, 3, 6, 7, 11]


def test_what_is_cold_by_default_starts_cold() -> None:
    whole = planned(A, B)
    cold = whole.model_copy(update={"defaults": {**whole.defaults, "page-cache": "cold"}})
    assert started_before(cold) == []


def test_the_expected_time_has_room_for_the_starts_before() -> None:
    warm, mixed = planned(A, B, A), planned(A, COLD, A)
    seconds = [session_s(session_plan.trials, session_plan.scenarios) for session_plan in (warm, mixed)]
    assert seconds[1] - seconds[0] == 2 * REHEARSAL_S
