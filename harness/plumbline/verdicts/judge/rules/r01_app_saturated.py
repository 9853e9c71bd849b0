"""R1: a phase that is meant to saturate the application does saturate it."""

from __future__ import annotations

from collections.abc import Iterable

from plumbline.model.evidence import Series, Window
from plumbline.model.host import CpuSets, Role
from plumbline.verdicts.figures.shares import busy_share
from ..facts import SessionFacts, TrialFacts
from ..rule import Check, PhaseChecks, Rule, broken, doubtful, passed, unknown
from ..wording import ROLE_NAMES, listed, no_window, percent

# No application is busy all the time: a thread pool hands work over, and a collector stops the world. Five points are
# for that.
SATURATED = 0.95
# Below this something else limits the throughput: the application could have used a tenth less CPU at no cost.
NOT_THE_APPLICATION = 0.90

_OTHER_ROLES: tuple[Role, ...] = ("load", "db")


def judge(trial: TrialFacts, session: SessionFacts) -> Iterable[PhaseChecks]:
    """The share of the application's CPUs that was busy, in each phase that saturates."""
    for facts in trial.saturating:
        if facts.window is None:
            yield facts.phase.name, [unknown(no_window(facts.phase.name))]
            continue
        share = session.cpu_share(trial.planned.subject)
        yield facts.phase.name, [_check(trial.evidence.series, session.sets_of(trial), facts.window, share)]


def _check(series: Series, sets: CpuSets, window: Window, share: float) -> Check:
    """Return the check of the CPU time used, out of the `share` of the CPUs that a declared quota leaves."""
    of_all = busy_share(series, "app", window)
    if of_all is None:
        return unknown("How busy the application's CPUs were is not known.")
    busy = min(1.0, of_all / share)
    if share < 1.0 and busy >= SATURATED:
        reading = f"The application used {percent(busy)} of the {percent(share)} of its CPUs that its setting gives it."
        return passed(reading, busy, "share", SATURATED)
    if busy >= SATURATED:
        return passed(f"The application's CPUs were {percent(busy)} busy.", busy, "share", SATURATED)
    reading = (
        f"The application used {percent(busy)} of its CPU: something else was the limit"
        f"{_other_sets(series, sets, window)}."
    )
    outcome = doubtful if busy >= NOT_THE_APPLICATION else broken
    return outcome(reading, busy, "share", SATURATED)


def _other_sets(series: Series, sets: CpuSets, window: Window) -> str:
    """Return the CPU time of the other sets, in brackets; a set that roles share is named once."""
    words: dict[tuple[int, ...], str] = {}
    for role in _OTHER_ROLES:
        share = busy_share(series, role, window)
        if share is None or sets.of(role) in words:
            continue
        names = [ROLE_NAMES[sharing_role] for sharing_role in _OTHER_ROLES if sets.of(sharing_role) == sets.of(role)]
        words[sets.of(role)] = f"{listed(names)} {percent(share)} of {'its' if len(names) == 1 else 'their'} CPU"
    return f" ({'; '.join(words.values())})" if words else ""


RULE = Rule(
    id="R1",
    title="The application's CPUs are used up",
    source="/proc/stat of the application's CPUs",
    mistake="0.5 of 32 cores in use and 390 requests/s published (study 000)",
    kind="capacity",
    needs=("windows", "series:set.app.busy_us", "series:set.app.idle_us"),
    judge=judge,
)
