"""R31: the order, counts and controls of a session, and the trials that are thrown away."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from plumbline.model.plan import PlannedTrial
from plumbline.verdicts.judge.facts import SessionFacts
from tests.judge.damage import (
    NUMBER,
    findings,
)
from tests.judge.evidence import session


def reordered(whole: SessionFacts, order: Callable[[list[PlannedTrial]], list[PlannedTrial]]) -> SessionFacts:
    trials = tuple(
        trial.model_copy(update={"number": number})
        for number, trial in enumerate(order(list(whole.plan.trials)), start=1)
    )
    return replace(whole, plan=whole.plan.model_copy(update={"trials": trials}))


def test_aaaabbbb_is_no_design() -> None:
    whole = reordered(
        session(),
        lambda trials: (
            [
                *trials[:2],
                *sorted(trials[2:-1], key=lambda trial: (trial.role, trial.subject)),
                trials[-1],
            ]
        ),
    )
    found = findings(whole, NUMBER, "R31")[None]
    assert (found.outcome, "Blocks are mixed" in found.reading) == ("invalid", True)


def test_nothing_thrown_away() -> None:
    found = findings(reordered(session(), lambda trials: trials[1:]), NUMBER, "R31")[None]
    assert (found.outcome, "thrown away" in found.reading) == ("invalid", True)


def test_unequal_counts() -> None:
    whole = reordered(session(), lambda trials: trials[:3] + trials[4:])
    found = findings(whole, NUMBER, "R31")[None]
    assert (found.outcome, "Not every block" in found.reading) == ("invalid", True)


def test_no_control_at_the_end() -> None:
    found = findings(reordered(session(), lambda trials: trials[:-1]), NUMBER, "R31")[None]
    assert (found.outcome, "control did not run" in found.reading) == ("invalid", True)


def test_few_trials_and_missing_ones_warn() -> None:
    found = findings(session(blocks=3), NUMBER, "R31")[None]
    assert (found.outcome, found.value) == ("warn", 3)
    whole = session()
    kept = {number: facts for number, facts in whole.trials.items() if number < 15}
    found = findings(replace(whole, trials=kept), NUMBER, "R31")[None]
    assert (found.outcome, found.reading) == ("warn", "5 trials of 19 planned left no evidence.")
