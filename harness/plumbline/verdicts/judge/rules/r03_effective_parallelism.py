"""R3: event loops share the work."""

from __future__ import annotations

import re
from collections.abc import Iterable

from plumbline.model.evidence import ThreadUse
from plumbline.model.subject import Subject
from ..facts import SessionFacts, TrialFacts
from ..rule import Check, PhaseChecks, Rule, as_doubt, broken, not_applicable, passed, unknown
from ..wording import percent

# Connections fall on loops by chance, so no two loops have the same work. If one loop does all of it, or two of eight
# do, far more than four tenths of the CPUs stay unused.
EFFECTIVE_MIN = 0.6
# The tail of the threads is kept as one row, which is no thread.
_TAIL = re.compile(r"others \(\d+ threads\)\Z")
# Compilers and collectors serve no request, and for a minute they are as busy as a loop: counted along, they would
# make one loop look like two. Names are those of HotSpot, as far as the kernel keeps them.
_OF_THE_JVM = re.compile(r"C[12] Compiler|GC Thread#|G1 |Z[A-Z]\w*#|Shenandoah|VM (Thread|Periodic)")

# In plans that do not say whose driver chooses the loops: the end of the names of variants on R2DBC, and the value of
# their setting `r2dbc-loops` with which the driver chooses.
ON_R2DBC, OF_DRIVER = "-r2dbc", "driver"


def judge(trial: TrialFacts, session: SessionFacts) -> Iterable[PhaseChecks]:
    """CPU time of all serving threads over that of the busiest one, where a phase saturates an event-loop subject."""
    cpus = len(session.sets_of(trial).app)
    if cpus < 2:
        yield None, [not_applicable("On one CPU there is nothing to share.")]
        return
    loops = session.plan.event_loops
    if loops is None:
        yield None, [unknown("The plan does not say which subjects serve on event loops.")]
        return
    if trial.planned.subject not in loops:
        yield None, [not_applicable("The subject does not serve on event loops.")]
        return
    for facts in trial.saturating:
        uses = [use for use in trial.evidence.threads if use.phase == facts.phase.name]
        check = _check(uses, cpus)
        yield facts.phase.name, [as_doubt(check) if _has_loops_of_driver(trial, session) else check]


def _has_loops_of_driver(trial: TrialFacts, session: SessionFacts) -> bool:
    """Return whether R2DBC's driver chooses the loops, as study 001 asked and found. The plan says so, since a program
    could excuse itself.
    """
    if session.plan.driver_loops is not None:
        return trial.planned.subject in session.plan.driver_loops
    subject = Subject.try_parse(trial.planned.subject)
    chosen_by = session.settings(trial.planned.subject).get("r2dbc-loops", OF_DRIVER)
    return subject is not None and subject.variant.endswith(ON_R2DBC) and chosen_by == OF_DRIVER


def _check(uses: list[ThreadUse], cpus: int) -> Check:
    serving = [use for use in uses if not _OF_THE_JVM.match(use.name)]
    threads = [use for use in serving if not _TAIL.match(use.name) and use.cpu_us > 0]
    if not threads:
        return unknown("CPU time was not counted by thread.")
    busiest = max(threads, key=lambda use: use.cpu_us)
    total_us = sum(use.cpu_us for use in serving)
    effective, least = total_us / busiest.cpu_us, EFFECTIVE_MIN * cpus
    reading = f"The threads did the work of {effective:.1f} equally busy ones, on {cpus} CPUs"
    if effective >= least:
        return passed(f"{reading}.", effective, "threads", least)
    share = busiest.cpu_us / total_us
    return broken(f"{reading}: {busiest.name} alone did {percent(share)} of it.", effective, "threads", least)


RULE = Rule(
    id="R3",
    title="Event loops share the work",
    source="/proc/PID/task/*/stat of the application",
    mistake="R2DBC on one or two of eight threads (study 001)",
    kind="capacity",
    needs=("threads",),
    judge=judge,
)
