"""R25: the host is quiet before the trial begins."""

from __future__ import annotations

from collections.abc import Iterable

from plumbline.model.evidence import Stray
from ..facts import SessionFacts, TrialFacts
from ..rule import Check, PhaseChecks, Rule, broken, doubtful, passed, unknown
from ..wording import listed, percent, strays_in_words

# On an idle host timers and the kernel's own threads take less than this.
QUIET_MAX = 0.02
# A process that takes more than this share is somebody's job: a compiler, a package manager, another measurement.
BUSY = 0.10


def judge(trial: TrialFacts, session: SessionFacts) -> Iterable[PhaseChecks]:
    """CPU time of our processes outside of trials, and of others just before the trial, of all the host's CPUs."""
    yield None, [*_leftovers(trial.evidence.found_before), _other_processes(trial)]


def _leftovers(found_before: tuple[Stray, ...] | None) -> Iterable[Check]:
    """Yield the checks of processes of this session that no program owned any more.

    They were ended before the spawn, unless they withstood.
    """
    if found_before is None:
        yield unknown("Whether processes of an earlier trial were still there was not looked for.")
        return
    for outcome, strays in (
        (broken, [stray for stray in found_before if not stray.ended]),
        (doubtful, [stray for stray in found_before if stray.ended]),
    ):
        if strays:
            fate = "were still there, and withstood their end" if outcome is broken else "were ended first"
            yield outcome(
                f"Processes of an earlier trial {fate}: {strays_in_words(strays)}.",
                len(strays),
                "processes",
                0,
            )


def _other_processes(trial: TrialFacts) -> Check:
    before = trial.evidence.host_before
    if before is None or before.foreign_cpu_share is None:
        return unknown("Who else was on the host before the trial was not read.")
    share = before.foreign_cpu_share
    names = f": {listed(before.busy_commands)}" if before.busy_commands else ""
    reading = f"Before the trial others used {percent(share)} of the host's CPUs"
    if share <= QUIET_MAX:
        return passed(f"{reading}.", share, "share", QUIET_MAX)
    outcome = doubtful if share <= BUSY else broken
    return outcome(f"{reading}{names}.", share, "share", QUIET_MAX)


RULE = Rule(
    id="R25",
    title="Nothing else runs",
    source="/proc just before the trial, and the session's own processes",
    mistake="package managers and other jobs in the middle of a measurement",
    kind="isolation",
    needs=("host_before", "found_before"),
    judge=judge,
)
