"""R32: the time at which a trial ran did not decide its result."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from plumbline.model.plan import Phase, Plan, PlannedTrial
from plumbline.verdicts.stats.places import drift, mean_places, place_effect
from ..facts import SessionFacts, TrialFacts
from ..rule import Check, PhaseChecks, Rule, broken, doubtful, not_applicable, passed, unknown
from ..wording import counted, percent

# Chance alone passes this level once in a hundred tests. Each scenario of a session has two tests: for place and for
# drift.
LEVEL = 0.01
# This level refuses whole sessions, so chance alone may refuse no more than one clean session in 1,000.
INVALID_LEVEL = 0.001
# Uneven orders may leave this much of an effect between two subjects: a quarter of the margin of equivalence.
LEFT_MAX = 0.005
# A drift touches all subjects alike. From here on it is wider than the margin of equivalence.
DRIFT_MAX = 0.02
# Orders are drawn at random. With fewer blocks the same order may come up each time, and little can be told.
BLOCKS_MIN = 5

Tables = tuple[list[list[float]], list[list[float]]]


def judge(trial: TrialFacts, session: SessionFacts) -> Iterable[PhaseChecks]:
    """The closed phase's throughput (else the first open phase's mean latency) by place in the block and by block."""
    phase = _phase(trial)
    if phase is None:
        yield None, [not_applicable("The scenario has no measured phase.")]
        return
    if _log_value(trial, phase) is None:
        yield None, [unknown(f"The trial left no value of the phase {phase.name}.")]
        return
    peers = [planned for planned in session.plan.trials if _is_peer(planned, trial.planned, session.plan)]
    blocks = len({planned.block for planned in peers})
    if blocks < BLOCKS_MIN:
        reading = f"It takes {BLOCKS_MIN} blocks to see what order does, and there are {blocks}."
        yield None, [not_applicable(reading)]
        return
    values, places = _tables(trial, session, phase, sorted({planned.subject for planned in peers}))
    if len(values) < BLOCKS_MIN:
        reading = f"{counted(len(values), 'block')} of {blocks} are whole, and it takes {BLOCKS_MIN}."
        yield None, [unknown(reading)]
        return
    conclusion = f"In {len(values)} blocks neither place nor time decided what was measured."
    yield None, [*_place(values, places), *_drift(values), passed(conclusion)]


def _is_peer(planned: PlannedTrial, own: PlannedTrial, plan: Plan) -> bool:
    """Return whether a trial stands in the same blocks as the own one: measured, of its scenario, and with a budget of
    its class, since a class whose orders are decided has no more blocks.
    """
    if planned.role != "measured" or planned.scenario != own.scenario:
        return False
    # The control has no class. What decided the results of any subject touches it too.
    return plan.budget is None or own.role == "control" or plan.class_of_trial(planned) == plan.class_of_trial(own)


def _phase(trial: TrialFacts) -> Phase | None:
    measured = sorted((facts.phase for facts in trial.phases()), key=lambda phase: phase.kind != "closed")
    return measured[0] if measured else None


def _tables(trial: TrialFacts, session: SessionFacts, phase: Phase, subjects: Sequence[str]) -> Tables:
    """Return log values and places, one row for each block with a value of all these subjects, one column for each."""
    blocks: dict[int, list[TrialFacts]] = {}
    for facts in session.of_scenario(trial.planned.scenario):
        if facts.planned.role == "measured":
            blocks.setdefault(facts.planned.block, []).append(facts)
    values, places = [], []
    for _, trials in sorted(blocks.items()):
        by_subject = {
            facts.planned.subject: (place, value)
            for place, facts in enumerate(trials, start=1)
            if (value := _log_value(facts, phase)) is not None
        }
        if by_subject.keys() >= set(subjects):
            values.append([by_subject[subject][1] for subject in subjects])
            places.append([float(by_subject[subject][0]) for subject in subjects])
    return values, places


def _log_value(facts: TrialFacts, phase: Phase) -> float | None:
    load = next((load for load in facts.evidence.load if load.phase == phase.name), None)
    if load is None:
        return None
    if phase.kind == "open":
        value = load.latency_mean_ms or 0.0
    else:
        value = load.completed / load.window_s if load.window_s > 0 else 0.0
    return math.log(value) if value > 0 else None


def _place(values: Sequence[Sequence[float]], places: Sequence[Sequence[float]]) -> Iterable[Check]:
    if len(values[0]) < 2:
        return
    if len({tuple(row) for row in places}) == 1:
        yield broken("The subjects ran in the same order in every block: place and subject can't be told apart.")
        return
    effect = place_effect(values, places)
    if effect is None or effect.p >= LEVEL:
        return
    of_subjects = mean_places(places)
    left = math.expm1(abs(effect.step) * (max(of_subjects) - min(of_subjects)))
    reading = f"A trial one place later in its block measures {_change_in_words(math.expm1(effect.step))}"
    if left <= LEFT_MAX:
        yield doubtful(f"{reading}; the orders cancel it.", left, "share", LEFT_MAX)
    else:
        outcome = broken if effect.p < INVALID_LEVEL else doubtful
        yield outcome(f"{reading}, and uneven orders leave {percent(left)} of it.", left, "share", LEFT_MAX)


def _drift(values: Sequence[Sequence[float]]) -> Iterable[Check]:
    slope = drift(values)
    if slope is None or slope.p >= LEVEL:
        return
    total_change = math.expm1(slope.step * (len(values) - 1))
    if abs(total_change) > DRIFT_MAX:
        reading = f"All subjects measured {_change_in_words(total_change)} in the last block than in the first."
        yield doubtful(reading, abs(total_change), "share", DRIFT_MAX)


def _change_in_words(share: float) -> str:
    """Return a relative change in words: `1.2 % more`."""
    return f"{percent(abs(share))} {'more' if share > 0 else 'less'}"


RULE = Rule(
    id="R32",
    title="No order effect is left",
    source="throughput of all trials of the scenario, by their place in the session",
    mistake="a subject that always ran on a host that another had warmed, or last on one that grew hot",
    kind="design",
    needs=("load",),
    judge=judge,
)
