"""Groups trials into rounds: one trial, or the two of a pair, which a duet runs at once."""

from __future__ import annotations

from collections.abc import Iterable

from plumbline.model.plan import Plan, PlannedTrial

Round = tuple[PlannedTrial, ...]


def rounds(plan: Plan) -> tuple[Round, ...]:
    """Return the trials of a plan in their order; neighbours that are a pair of a comparison form one round."""
    found: list[Round] = []
    for trial in plan.trials:
        if trial.side is not None and found and len(found[-1]) == 1 and _partners(found[-1][0], trial):
            found[-1] = (*found[-1], trial)
        else:
            found.append((trial,))
    return tuple(found)


def _partners(one: PlannedTrial, other: PlannedTrial) -> bool:
    return (
        one.side is not None
        and one.side != other.side
        and (one.block, one.scenario, one.number + 1) == (other.block, other.scenario, other.number)
    )


def whole(plan: Plan, done: Iterable[int]) -> set[int]:
    """Return the ended trials whose whole round ended: half a pair is measured again."""
    ended = set(done)
    return {
        trial.number
        for round_ in rounds(plan)
        if all(one.number in ended for one in round_)
        for trial in round_
    }
