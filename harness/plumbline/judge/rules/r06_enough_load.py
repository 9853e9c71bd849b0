"""R6: twice the connections would have given no more."""

from __future__ import annotations

from collections.abc import Iterable

from plumbline.model.plan import Proof
from plumbline.stats.beside import Change
from ..facts import SessionFacts, TrialFacts
from ..proof import gained, why_not, words_of
from ..rule import OWN_LOAD, Check, Rule, Said, broken, not_applicable, passed, unknown
from ..wording import percent

PROOF: Proof = "twice the connections"
# METHOD 4, and the margin within which a comparison says "equivalent".
GAIN_MAX = 0.02


def judge(trial: TrialFacts, session: SessionFacts) -> Iterable[Said]:
    """Throughput with twice the connections over that of the subject's trials, in each phase that saturates."""
    for facts in trial.phases(("closed",)):
        if not facts.phase.saturates:
            continue
        if trial.loads_itself:
            check = OWN_LOAD
        elif (why := why_not(trial, session, (PROOF,))) is not None:
            check = not_applicable(why)
        else:
            found = gained(trial, session, facts.phase, PROOF)
            check = unknown(found) if isinstance(found, str) else _check(found)
        yield facts.phase.name, [check]


def _check(found: Change) -> Check:
    reading = f"Twice the connections change the throughput by {words_of(found)}"
    if found.high < GAIN_MAX:
        return passed(f"{reading}.", found.value, "relative change", GAIN_MAX)
    if found.low > GAIN_MAX:
        return broken(f"{reading}: the load is too little.", found.value, "relative change", GAIN_MAX)
    return unknown(f"{reading}: trials scatter too much to tell {percent(GAIN_MAX)}.")


RULE = Rule(
    id="R6",
    title="Enough load",
    source="a trial of each subject with twice the connections, at the end of the session",
    mistake="17 requests/s of a load that asked for no more (study 004), and laptops that load themselves",
    kind="capacity",
    required=False,
    needs=(),
    judge=judge,
)
