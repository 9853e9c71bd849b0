"""Sessions of several equal hosts, each with blocks of its own, before they are joined."""

from __future__ import annotations

from functools import cache

from plumbline.archive.record.assemble import assemble, joined
from plumbline.archive.record.join import parts_of
from plumbline.model.evidence import Evidence
from plumbline.model.record import HostSession, Record
from tests.judge.evidence import session
from tests.judge.planned import SUBJECTS
from tests.record.sessions import host_session

Session = tuple[Record, dict[int, Evidence]]
OF_SUBJECT = {SUBJECTS[1]: 1.2}
TOKENS = {"lab-a": "0a1b2c", "lab-b": "1b2c3d", "lab-c": "2c3d4e"}


@cache
def on(name: str, blocks: int, slower: float = 1.0) -> Session:
    """A whole session of `blocks` blocks on the host `name`, where a start takes `slower` times as long.

    The second subject starts slower than the others everywhere.
    """
    whole = session("lab", blocks)
    evidence = {}
    for number, facts in whole.trials.items():
        trial_evidence = facts.evidence
        assert trial_evidence.start is not None and trial_evidence.start.first_response_ms is not None
        start_ms = trial_evidence.start.first_response_ms * slower * OF_SUBJECT.get(trial_evidence.subject, 1.0)
        # Some scatter of trials.
        start_ms *= 1 + (number * 7 % 5 - 2) / 1000
        start = trial_evidence.start.model_copy(update={"first_response_ms": start_ms})
        evidence[number] = trial_evidence.model_copy(update={"start": start})
    plan = whole.plan.model_copy(update={"session": f"20260901T101500Z-{name}-{TOKENS[name]}", "host": name})
    measured = host_session(whole, plan=plan, host=whole.host.model_copy(update={"name": name}))
    return assemble(measured, evidence, workload_version=1), evidence


def together_on(*sessions: Session, lost: tuple[str, ...] = ()) -> Session:
    """One session that joins these sessions."""
    parts, evidence = parts_of(sessions)
    return joined(parts, lost, evidence, workload_version=1), evidence


def parts(*sessions: Session) -> tuple[HostSession, ...]:
    return parts_of(sessions)[0]
