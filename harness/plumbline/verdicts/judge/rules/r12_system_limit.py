"""R12: two subjects do not stop at the same throughput while one of them idles: such a limit belongs to neither."""

from __future__ import annotations

from collections.abc import Iterable
from statistics import median

from plumbline.model.plan import Phase
from plumbline.verdicts.figures.shares import busy_share
from ..facts import SessionFacts, TrialFacts
from ..proof import throughputs
from ..rule import Check, Rule, Said, broken, not_applicable, passed, unknown
from ..wording import percent
from .r01_app_saturated import SATURATED

# Two throughputs within this margin are the same: a comparison calls them "equivalent".
ALIKE = 0.02


def judge(trial: TrialFacts, session: SessionFacts) -> Iterable[Said]:
    """Median throughput and busy share of each subject, in each phase that saturates."""
    subjects: dict[str, list[TrialFacts]] = {}
    for asked in session.asked_alike(trial):
        subjects.setdefault(asked.planned.subject, []).append(asked)
    mine = subjects.pop(trial.planned.subject, [trial])
    for facts in trial.saturating:
        if _throughput([trial], facts.phase) is None:
            check = unknown("How much the application did was not counted.")
        elif not subjects:
            check = not_applicable("Nothing else was measured in this scenario.")
        else:
            check = _check(mine, subjects, facts.phase, session)
        yield facts.phase.name, [check]


def _check(
    mine: list[TrialFacts], subjects: dict[str, list[TrialFacts]], phase: Phase, session: SessionFacts
) -> Check:
    own = _throughput(mine, phase) or 0.0
    others = {name: value for name, its in subjects.items() if (value := _throughput(its, phase)) is not None}
    if not others or not own:
        return unknown("How much the other subjects did was not counted.")
    apart = {name: max(value, own) / min(value, own) - 1 for name, value in others.items()}
    near = min(apart, key=lambda name: apart[name])
    for name in sorted((name for name in apart if apart[name] <= ALIKE), key=lambda name: apart[name]):
        idle = _least_busy(mine, subjects[name], phase, session)
        if idle is None:
            return unknown(f"{name} measures the same, and how busy the two were is not known.")
        who, busy = idle
        if busy < SATURATED:
            return broken(
                f"{own:,.0f} requests/s, and {name} has {others[name]:,.0f}, while {who} used {percent(busy)} of its"
                " CPU: a limit of the system, not of either.",
                apart[name],
                "relative difference",
                ALIKE,
            )
    reading = f"Within {percent(ALIKE)} of this subject is only what used up its CPUs as well"
    if apart[near] > ALIKE:
        reading = f"The nearest other subject, {near}, differs by {percent(apart[near])}"
    return passed(f"{reading}.", apart[near], "relative difference", ALIKE)


def _throughput(trials: list[TrialFacts], phase: Phase) -> float | None:
    found = throughputs(trials, phase)
    return median(found) if found else None


def _least_busy(
    mine: list[TrialFacts], other: list[TrialFacts], phase: Phase, session: SessionFacts
) -> tuple[str, float] | None:
    """Return which of the two sets used less of its CPUs, and how much of them; None when either is not known."""
    shares = []
    for trials in (mine, other):
        found = [
            busy
            for facts in trials
            for window in facts.evidence.windows
            if window.phase == phase.name
            and (busy := busy_share(facts.evidence.series, "app", window)) is not None
        ]
        if not found:
            return None
        shares.append((median(found), trials[0].planned.subject))
    busy, who = min(shares)
    return who, busy


RULE = Rule(
    id="R12",
    title="No two subjects met the same limit",
    source="throughput and /proc/stat of all trials of the scenario",
    mistake="two frameworks that were 'suspiciously similar', both waiting for the same disk (study 000)",
    kind="capacity",
    needs=("load",),
    judge=judge,
)
