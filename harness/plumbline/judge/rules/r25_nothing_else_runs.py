"""R25: the host is quiet before the trial begins."""

from __future__ import annotations

from collections.abc import Iterable

from ..facts import SessionFacts, TrialFacts
from ..rule import Rule, Said, broken, doubtful, passed, unknown
from ..wording import listed, percent

# Timers and the kernel's own threads take less on an idle host.
QUIET_MAX = 0.02
# A job of somebody: a compiler, a package manager, another measurement.
BUSY = 0.10


def judge(trial: TrialFacts, session: SessionFacts) -> Iterable[Said]:
    """CPU time of others just before the trial, of all the host's CPUs."""
    del session
    before = trial.evidence.host_before
    if before is None or before.foreign_cpu_share is None:
        yield None, [unknown("Who else was on the host before the trial was not read.")]
        return
    share = before.foreign_cpu_share
    who = f": {listed(before.busy_commands)}" if before.busy_commands else ""
    reading = f"Before the trial others used {percent(share)} of the host's CPUs"
    if share <= QUIET_MAX:
        yield None, [passed(f"{reading}.", share, "share", QUIET_MAX)]
        return
    say = doubtful if share <= BUSY else broken
    yield None, [say(f"{reading}{who}.", share, "share", QUIET_MAX)]


RULE = Rule(
    id="R25",
    title="Nothing else runs",
    source="/proc just before the trial",
    mistake="package managers and other jobs in the middle of a measurement",
    kind="isolation",
    required=True,
    needs=("host_before",),
    judge=judge,
)
