"""Reads the proofs at the end of a session: throughput under another condition, against the usual trials."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from plumbline.model.plan import Phase, Proof
from plumbline.verdicts.stats.interval import RelativeChange, relative_change
from .facts import SessionFacts, TrialFacts
from .rule import Check, broken, passed, unknown
from .wording import percent

# The scatter of the trials has to be known from as many.
TRIALS_MIN = 2
# The margin within which a comparison says "equivalent".
GAIN_MAX = 0.02


def why_not(trial: TrialFacts, session: SessionFacts, proofs: Collection[Proof]) -> str | None:
    """Return why these proofs do not concern this trial; None where they do."""
    if trial.planned.role != "measured":
        return "Proofs are of the subjects, not of the control."
    plan = session.plan
    asked = {planned.proof for planned in plan.trials} | {one.proof for one in plan.unproven}
    if not asked & set(proofs):
        return "Nobody asked for this proof (`./bench run --prove`)."
    return None


def cannot_be_had(session: SessionFacts, proof: Proof) -> str | None:
    """Return why this host can't run that proof; None where it can."""
    return next((one.reason for one in session.plan.unproven if one.proof == proof), None)


def gained(trial: TrialFacts, session: SessionFacts, phase: Phase, proof: Proof) -> RelativeChange | str:
    """Return the gain of the subject's throughput under that condition, or why it is not known."""
    own = [facts for facts in session.asked_alike(trial) if _is_of(facts, trial)]
    proving = [
        facts
        for facts in session.proofs.values()
        if facts.planned.proof == proof
        and facts.planned.scenario == trial.planned.scenario
        and _is_of(facts, trial)
    ]
    if not proving:
        return f"The trial with {proof} is not there."
    if any(facts.evidence.failure is not None for facts in proving):
        return f"The trial with {proof} did not reach its end."
    usual, other = throughputs(own, phase), throughputs(proving, phase)
    if not other or any(load.failed for facts in proving for load in facts.evidence.load):
        return f"The trial with {proof} had errors, or no answers."
    if len(usual) < TRIALS_MIN:
        return f"It takes {TRIALS_MIN} trials to know how they scatter."
    return relative_change(usual, other)


def gives_none(found: RelativeChange | str, what: str, blame: str) -> Check:
    """Return the check that more of something gives no throughput, from what `gained` found.

    `what` is "More of it changes", `blame` what is so if it does.
    """
    if isinstance(found, str):
        return unknown(found)
    reading = f"{what} the throughput by {words_of(found)}"
    if found.high < GAIN_MAX:
        return passed(f"{reading}.", found.value, "relative change", GAIN_MAX)
    if found.low > GAIN_MAX:
        return broken(f"{reading}: {blame}.", found.value, "relative change", GAIN_MAX)
    return unknown(f"{reading}: trials scatter too much to tell {percent(GAIN_MAX)}.")


def words_of(found: RelativeChange) -> str:
    """Return `+1.2 % (-0.3 to +2.7 %)`."""
    signed = [f"{'+' if value > 0 else ''}{percent(value)}" for value in (found.value, found.low, found.high)]
    return f"{signed[0]} ({signed[1].removesuffix(' %')} to {signed[2]})"


def _is_of(facts: TrialFacts, trial: TrialFacts) -> bool:
    return facts.planned.contender == trial.planned.contender


def throughputs(trials: Iterable[TrialFacts], phase: Phase) -> list[float]:
    """Return the requests a second of each trial that completed some in a phase."""
    loads = (load for facts in trials for load in facts.evidence.load if load.phase == phase.name)
    return [load.completed / load.window_s for load in loads if load.window_s > 0 and load.completed > 0]
