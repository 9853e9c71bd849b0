"""Names the rules that do not apply to a comparison or a proof, and why."""

from __future__ import annotations

from plumbline.model.plan import Plan, PlannedTrial

# Of any comparison. R32 looks at blocks of a suite; the order of pairs is judged with each answer (stats/design.py).
_COMPARISON = {"R32": "The order of pairs is judged with each answer of the comparison."}
# Of a duet: there is no closed load in it to saturate anything.
_DUET = {
    "R1": "A duet has no closed load: both sides at once would pull the ratio of throughputs to 1.",
    "R5": "A duet has no closed load.",
}
# Of a trial that proves something of the others: it has other resources or another load, and no figure of it counts.
_ON_PURPOSE = "The trial has other resources or another load on purpose, and proves R2 or R6 of the others."
_PROOF = ("R1", "R2", "R3", "R6", "R12", "R20", "R29", "R30", "R32", "R33", "R34")


def not_asked(rule: str, plan: Plan, trial: PlannedTrial) -> str | None:
    """Why a rule does not apply to a trial of this plan; None where it does."""
    if trial.proof is not None and rule in _PROOF:
        return _ON_PURPOSE
    if plan.comparison is None:
        return None
    profile = _COMPARISON | (_DUET if plan.comparison.design == "duet" else {})
    return profile.get(rule)
