"""R28: the record says which machines took part; results over a network and over loopback are not mixed."""

from __future__ import annotations

from collections.abc import Iterable

from ..facts import SessionFacts, TrialFacts
from ..rule import PhaseChecks, Rule, passed, unknown
from ..wording import counted


def judge(trial: TrialFacts, session: SessionFacts) -> Iterable[PhaseChecks]:
    """The recorded topology; a plan has one network for all its trials."""
    cpus = len(session.host.topology.cpus)
    if cpus == 0:
        yield None, [unknown("The topology of the host is not recorded.")]
        return
    if session.plan.network == "remote database":
        yield None, [unknown("The database is on a machine that is not recorded.")]
        return
    place = f"on one host of {counted(cpus, 'CPU')}, over {session.plan.network}"
    reading = f"Application, database and load ran {place}."
    yield None, [passed(reading, cpus, "CPUs")]


RULE = Rule(
    id="R28",
    title="Topology and network are recorded",
    source="the plan and the host's facts",
    mistake="results of two machines side by side (study 001)",
    kind="design",
    judge=judge,
)
