"""Reads the proofs at the end of a session: throughput under another condition, against the usual trials."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from plumbline.model.plan import Phase, Proof
from plumbline.verdicts.stats.interval import RelativeChange, relative_change
from .facts import SessionFacts, TrialFacts
from .rule import Check, broken, passed, unknown
from .wording import percent

# It takes this many trials to know how they scatter.
TRIALS_MIN = 2
# The margin within which a comparison says "equivalent".
GAIN_MAX = 0.02


def why_not_concerned(trial: TrialFacts, session: SessionFacts, proofs: Collection[Proof]) -> str | None:
    """Return why these proofs do not concern this trial; None where they do concern it."""
    if trial.planned.role != "measured":
        return "Proofs are of the subjects, not of the control."
    plan = session.plan
    asked_proofs = {planned.proof for planned in plan.trials} | {unproven.proof for unproven in plan.unproven}
    if not asked_proofs & set(proofs):
        return "Nobody asked for this proof (`./bench run --prove`)."
    return None


def cannot_be_had(session: SessionFacts, proof: Proof) -> str | None:
    """Return why this host can't run that proof; None where it can."""
    return next((unproven.reason for unproven in session.plan.unproven if unproven.proof == proof), None)


def gain_of_proof(trial: TrialFacts, session: SessionFacts, phase: Phase, proof: Proof) -> RelativeChange | str:
    """Return the gain of the subject's throughput under the condition of a proof, or why the gain is not known.

    Trials that another rule refuses are left out, unless all of the subject's trials are refused.
    """
    own_trials = [facts for facts in session.asked_alike(trial) if _same_contender(facts, trial)]
    proving = [
        facts
        for facts in session.proofs.values()
        if facts.planned.proof == proof
        and facts.planned.scenario == trial.planned.scenario
        and _same_contender(facts, trial)
    ]
    if not proving:
        return f"The trial with {proof} is not there."
    if any(facts.evidence.failure is not None for facts in proving):
        return f"The trial with {proof} did not reach its end."
    clean_trials = [facts for facts in own_trials if facts.planned.number not in session.refused]
    usual, other = throughputs(clean_trials or own_trials, phase), throughputs(proving, phase)
    if not other or any(load.failed for facts in proving for load in facts.evidence.load):
        return f"The trial with {proof} had errors, or no answers."
    if clean_trials and any(facts.planned.number in session.refused for facts in proving):
        return f"Another rule refuses the trial with {proof}: the proof does not count."
    if len(usual) < TRIALS_MIN:
        return f"It takes {TRIALS_MIN} trials to know how they scatter."
    return relative_change(usual, other)


def no_gain_check(change: RelativeChange | str, cause: str, blame: str) -> Check:
    """Return the check that more of something gives no throughput, from what `gain_of_proof` returned.

    `cause` begins the sentence, such as "More CPU changes"; `blame` says what a gain would mean.
    """
    if isinstance(change, str):
        return unknown(change)
    reading = f"{cause} the throughput by {words_of(change)}"
    if change.high < GAIN_MAX:
        return passed(f"{reading}.", change.value, "relative change", GAIN_MAX)
    if change.low > GAIN_MAX:
        return broken(f"{reading}: {blame}.", change.value, "relative change", GAIN_MAX)
    return unknown(f"{reading}: trials scatter too much to tell {percent(GAIN_MAX)}.")


def words_of(change: RelativeChange) -> str:
    """Return `+1.2 % (-0.3 to +2.7 %)`."""
    signed = [f"{'+' if value > 0 else ''}{percent(value)}" for value in (change.value, change.low, change.high)]
    return f"{signed[0]} ({signed[1].removesuffix(' %')} to {signed[2]})"


def _same_contender(facts: TrialFacts, trial: TrialFacts) -> bool:
    return facts.planned.contender == trial.planned.contender


def throughputs(trials: Iterable[TrialFacts], phase: Phase) -> list[float]:
    """Return the requests a second of each trial that completed some in a phase."""
    loads = (load for facts in trials for load in facts.evidence.load if load.phase == phase.name)
    return [load.completed / load.window_s for load in loads if load.window_s > 0 and load.completed > 0]
