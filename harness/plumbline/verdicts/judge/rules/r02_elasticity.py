"""R2: the application is the limit: with less CPU it is slower, and with more CPU for the others it is not faster."""

from __future__ import annotations

from collections.abc import Iterable

from plumbline.model.plan import Phase, Proof
from plumbline.verdicts.stats.interval import RelativeChange
from ..facts import SessionFacts, TrialFacts
from ..proof import cannot_be_had, gain_of_proof, no_gain_check, why_not_concerned, words_of
from ..rule import Check, PhaseChecks, Rule, broken, not_applicable, passed, unknown
from ..wording import percent

LESS: Proof = "less application CPU"
MORE: dict[Proof, str] = {"more database CPU": "the database", "more load CPU": "the load generator"}
# Where only the application limits, a quarter less CPU costs a quarter of the throughput. Fewer cores share their
# caches better, which gives some of it back. The collector has fewer CPUs to run on, which takes some more.
LOSS_MIN, LOSS_MAX = 0.16, 0.31


def judge(trial: TrialFacts, session: SessionFacts) -> Iterable[PhaseChecks]:
    """Throughput with other CPUs over that of the subject's trials, in each phase that saturates."""
    for facts in trial.saturating:
        reason = why_not_concerned(trial, session, (LESS, *MORE))
        checks = [not_applicable(reason)] if reason is not None else _checks(trial, session, facts.phase)
        yield facts.phase.name, list(checks)


def _checks(trial: TrialFacts, session: SessionFacts, phase: Phase) -> Iterable[Check]:
    lack_of_less = cannot_be_had(session, LESS)
    lacks = [lack for proof in MORE if (lack := cannot_be_had(session, proof)) is not None]
    # CPUs that can't be lent to other roles are named next to the result; without the first half nothing is proven.
    note = "".join(f" {lack}" for lack in dict.fromkeys(lacks))
    if lack_of_less is not None:
        yield unknown(lack_of_less)
    else:
        change = gain_of_proof(trial, session, phase, LESS)
        yield unknown(change) if isinstance(change, str) else _less(change, note)
    for proof, role_name in MORE.items():
        if cannot_be_had(session, proof) is None:
            change = gain_of_proof(trial, session, phase, proof)
            yield no_gain_check(change, f"More CPU for {role_name} changes", f"{role_name} is the limit")


def _less(change: RelativeChange, note: str) -> Check:
    loss = -change.value
    reading = f"A quarter less CPU changes the throughput by {words_of(change)}"
    loss_and_limit = (loss, "relative loss", LOSS_MIN)
    if -change.low < LOSS_MIN:
        return broken(f"{reading}: something else is the limit.{note}", *loss_and_limit)
    if -change.high > LOSS_MAX:
        return broken(f"{reading}, more than the CPU explains.{note}", loss, "relative loss", LOSS_MAX)
    if -change.high < LOSS_MIN or -change.low > LOSS_MAX:
        reading = f"{reading}: trials scatter too much to tell whether that is"
        return unknown(f"{reading} {percent(LOSS_MIN)} to {percent(LOSS_MAX)}.{note}")
    return passed(f"{reading}: the application is the limit.{note}", *loss_and_limit)


RULE = Rule(
    id="R2",
    title="The application is the limit",
    source="trials of each subject with other CPUs, at the end of the session",
    mistake="a throughput that was the database's, the disk's or the load generator's (studies 000, 002, 004)",
    kind="capacity",
    required=False,
    judge=judge,
)
