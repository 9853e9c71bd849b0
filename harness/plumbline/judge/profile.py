"""Rules that a comparison is not asked, because its design answers them in another way or makes them void."""

from __future__ import annotations

from plumbline.model.plan import Plan

# Of any comparison. R32 looks at blocks of a suite; the order of pairs is judged with each answer (stats/design.py).
_COMPARISON = {"R32": "The order of pairs is judged with each answer of the comparison."}
# Of a duet: there is no closed load in it to saturate anything, and no steady throughput to prove.
_DUET = {
    "R1": "A duet has no closed load: both sides at once would pull the ratio of throughputs to 1.",
    "R5": "A duet has no closed load.",
    "R29": "A duet compares pairs that run side by side: what drifts, drifts for both.",
}


def not_asked(rule: str, plan: Plan) -> str | None:
    """Why a rule does not apply to the trials of this plan; None where it does."""
    if plan.comparison is None:
        return None
    profile = _COMPARISON | (_DUET if plan.comparison.design == "duet" else {})
    return profile.get(rule)
