"""R12: two subjects do not stop at the same throughput while one of them idles: such a limit belongs to neither."""

from __future__ import annotations

from collections.abc import Iterable
from statistics import median

from plumbline.model.plan import Phase
from plumbline.verdicts.figures.shares import busy_share
from ..facts import SessionFacts, TrialFacts
from ..proof import throughputs
from ..rule import Check, PhaseChecks, Rule, broken, doubtful, not_applicable, passed, unknown
from ..wording import percent
from .r01_app_saturated import NOT_THE_APPLICATION, SATURATED

# Two throughputs within this margin are the same: a comparison calls them "equivalent".
ALIKE = 0.02


def judge(trial: TrialFacts, session: SessionFacts) -> Iterable[PhaseChecks]:
    """Median throughput and busy share of each subject, in each phase that saturates."""
    subjects: dict[str, list[TrialFacts]] = {}
    for peer in session.asked_alike(trial):
        subjects.setdefault(peer.planned.subject, []).append(peer)
    own_trials = subjects.pop(trial.planned.subject, [trial])
    for facts in trial.saturating:
        if _throughput([trial], facts.phase) is None:
            checks = [unknown("How much the application did was not counted.")]
        elif not subjects:
            checks = [not_applicable("Nothing else was measured in this scenario.")]
        else:
            checks = list(_checks(own_trials, subjects, facts.phase, session))
        yield facts.phase.name, checks


def _checks(
    own_trials: list[TrialFacts], subjects: dict[str, list[TrialFacts]], phase: Phase, session: SessionFacts
) -> Iterable[Check]:
    rate = _throughput(own_trials, phase) or 0.0
    rates = {name: value for name, trials in subjects.items() if (value := _throughput(trials, phase)) is not None}
    if not rates or not rate:
        yield unknown("How much the other subjects did was not counted.")
        return
    apart = {name: max(value, rate) / min(value, rate) - 1 for name, value in rates.items()}
    nearest = min(apart, key=lambda name: apart[name])
    for name in sorted((name for name in apart if apart[name] <= ALIKE), key=lambda name: apart[name]):
        least_busy = _least_busy(own_trials, subjects[name], phase, session)
        if least_busy is None:
            yield unknown(f"{name} measures the same, and how busy the two were is not known.")
            continue
        idler, busy = least_busy
        if busy < SATURATED:
            # R1 doubts such a subject, too.
            outcome = doubtful if busy >= NOT_THE_APPLICATION else broken
            yield outcome(
                f"{rate:,.0f} requests/s, and {name} has {rates[name]:,.0f}, while {idler} used {percent(busy)} of its"
                " CPU: a limit of the system, not of either.",
                apart[name],
                "relative difference",
                ALIKE,
            )
    reading = f"Within {percent(ALIKE)} of this subject is only what used up its CPUs as well"
    if apart[nearest] > ALIKE:
        reading = f"The nearest other subject, {nearest}, differs by {percent(apart[nearest])}"
    yield passed(f"{reading}.", apart[nearest], "relative difference", ALIKE)


def _throughput(trials: list[TrialFacts], phase: Phase) -> float | None:
    rates = throughputs(trials, phase)
    return median(rates) if rates else None


def _least_busy(
    own_trials: list[TrialFacts], other_trials: list[TrialFacts], phase: Phase, session: SessionFacts
) -> tuple[str, float] | None:
    """Return which of the two sets used less of the CPU time that it may use, and how much of it; None when either is
    not known.
    """
    shares = []
    for trials in (own_trials, other_trials):
        subject = trials[0].planned.subject
        busy_shares = [
            busy / session.cpu_share(subject)
            for facts in trials
            for window in facts.evidence.windows
            if window.phase == phase.name and (busy := busy_share(facts.evidence.series, "app", window)) is not None
        ]
        if not busy_shares:
            return None
        shares.append((median(busy_shares), subject))
    busy, subject = min(shares)
    return subject, busy


RULE = Rule(
    id="R12",
    title="No two subjects met the same limit",
    source="throughput and /proc/stat of all trials of the scenario",
    mistake="two frameworks that were 'suspiciously similar', both waiting for the same disk (study 000)",
    kind="capacity",
    needs=("load",),
    judge=judge,
)
