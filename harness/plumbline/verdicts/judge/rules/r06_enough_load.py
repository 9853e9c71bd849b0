"""R6: twice the connections would not have given more throughput."""

from __future__ import annotations

from collections.abc import Iterable

from plumbline.model.plan import Proof
from ..facts import SessionFacts, TrialFacts
from ..proof import gain_of_proof, no_gain_check, why_not_concerned
from ..rule import OWN_LOAD, PhaseChecks, Rule, not_applicable

PROOF: Proof = "twice the connections"


def judge(trial: TrialFacts, session: SessionFacts) -> Iterable[PhaseChecks]:
    """Throughput with twice the connections over that of the subject's trials, in each phase that saturates."""
    for facts in trial.saturating:
        if trial.loads_itself:
            check = OWN_LOAD
        elif (reason := why_not_concerned(trial, session, (PROOF,))) is not None:
            check = not_applicable(reason)
        else:
            change = gain_of_proof(trial, session, facts.phase, PROOF)
            check = no_gain_check(change, "Twice the connections change", "the load is too little")
        yield facts.phase.name, [check]


RULE = Rule(
    id="R6",
    title="Enough load",
    source="a trial of each subject with twice the connections, at the end of the session",
    mistake="17 requests/s of a load that asked for no more (study 004), and laptops that load themselves",
    kind="capacity",
    required=False,
    judge=judge,
)
