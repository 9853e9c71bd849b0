"""Assemble the record from what a session left: figures, findings, verdicts, standings. Pure: `verify` repeats it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from plumbline.model.comparison import Comparison
from plumbline.model.evidence import Evidence
from plumbline.model.host import HostFacts
from plumbline.model.plan import Plan
from plumbline.model.record import (
    Build,
    Finding,
    HostSession,
    Provenance,
    Record,
    Steadiness,
    Trial,
    Versions,
)
from plumbline.verdicts.figures.compute import FIGURES_VERSION, figures
from plumbline.verdicts.figures.latency import parts
from plumbline.verdicts.figures.series import rounded
from plumbline.verdicts.judge.facts import SessionFacts, TrialFacts
from plumbline.verdicts.judge.referee import RULES_VERSION, judge, session_verdict, trial_verdict, without_refused
from .agreement import agreements
from .comparison import compared
from .evidence_file import evidence_name
from .join import joined_session
from .orders import SubjectOrder, ended, orders
from .ran import ran
from .standings import standings
from .steadiness import steadiness
from .trim import trimmed


def assemble(
    session: HostSession,
    evidence: Mapping[int, Evidence],
    *,
    workload_version: int,
    parts: Sequence[HostSession] = (),
    lost_hosts: Sequence[str] = (),
) -> Record:
    """Return the record of a session. `evidence` is by number; rule R31 reports planned trials without evidence.

    A joined session has the `parts` that its plan, host and provenance follow from.
    """
    plan = session.plan
    trials, proven = _judged(_facts(plan, session.host, evidence, session.provenance, session.builds), parts)
    return Record(
        **dict(session),
        versions=Versions(figures=FIGURES_VERSION, rules=RULES_VERSION, workload=workload_version),
        trials=trials,
        # Only suites have standings: in a comparison the trials of one subject may be of two programs.
        standings=standings(plan, trials, proven) if plan.comparison is None else (),
        verdict=session_verdict({trial.number: trial.verdict for trial in trials}, plan),
        comparison=compared(plan, trials, proven, evidence),
        agreements=agreements(plan, trials, proven),
        ran=ran(plan, session.builds, evidence),
        steadiness=proven,
        ended=ended(plan, trials, evidence, proven),
        parts=tuple(parts),
        lost_hosts=tuple(lost_hosts),
    )


def judged(
    plan: Plan, host: HostFacts, evidence: Mapping[int, Evidence], builds: Sequence[Build] = ()
) -> tuple[Trial, ...]:
    """Return the planned trials that left evidence, with their figures, findings and verdicts, by number."""
    return _judged(_facts(plan, host, evidence, builds=builds))[0]


def compared_so_far(plan: Plan, host: HostFacts, evidence: Mapping[int, Evidence]) -> Comparison | None:
    """Return the comparison by the trials that left evidence so far; None if the session is no comparison."""
    return compared(plan, *_judged(_facts(plan, host, evidence)), evidence)


def orders_so_far(plan: Plan, host: HostFacts, evidence: Mapping[int, Evidence]) -> tuple[SubjectOrder, ...]:
    """Return the orders within classes by the trials that left evidence so far."""
    return orders(plan, *_judged(_facts(plan, host, evidence)))


def _facts(
    plan: Plan,
    host: HostFacts,
    evidence: Mapping[int, Evidence],
    provenance: Provenance | None = None,
    builds: Sequence[Build] = (),
) -> SessionFacts:
    trials = {
        planned.number: TrialFacts(planned, plan.scenario_of(planned), trimmed(evidence[planned.number]))
        for planned in plan.trials
        if planned.number in evidence
    }
    return SessionFacts.of(plan, host, trials, provenance, builds)


def _judged(
    session: SessionFacts, parts: Sequence[HostSession] = ()
) -> tuple[tuple[Trial, ...], tuple[Steadiness, ...]]:
    """Return the trials that left evidence, and how steady each subject was by those that no other rule refuses."""
    findings = judge(session, parts)
    proving = without_refused(session, findings)
    trials = tuple(
        _trial(facts, findings[number], host_session)
        for host_session in proving.by_host(parts)
        for number, facts in sorted({**host_session.trials, **host_session.proofs}.items())
    )
    return trials, steadiness(proving.steadiness)


def assembled_again(record: Record, evidence: Mapping[int, Evidence]) -> Record:
    """Return the record with all derived values computed anew from its evidence."""
    if record.parts:
        return joined(record.parts, record.lost_hosts, evidence, workload_version=record.versions.workload)
    return assemble(record.host_session, evidence, workload_version=record.versions.workload)


def joined(
    parts: Sequence[HostSession],
    lost_hosts: Sequence[str],
    evidence: Mapping[int, Evidence],
    *,
    workload_version: int,
) -> Record:
    """Return the record of a session whose blocks ran on several hosts. Raises UsageError if these are not equal."""
    return assemble(
        joined_session(parts), evidence, workload_version=workload_version, parts=parts, lost_hosts=lost_hosts
    )


def _trial(facts: TrialFacts, findings: tuple[Finding, ...], session: SessionFacts) -> Trial:
    planned, plan, proofs = facts.planned, session.plan, session.proofs_of(facts)
    return Trial(
        number=planned.number,
        block=planned.block,
        role=planned.role,
        subject=planned.subject,
        scenario=planned.scenario,
        evidence=evidence_name(planned.number),
        figures=figures(facts.evidence, facts.scenario, session.sets_of(facts), proofs),
        findings=tuple(_rounded(finding) for finding in findings),
        verdict=trial_verdict(findings, plan.host_class),
        side=planned.side,
        parts=parts(facts.evidence, proofs),
    )


def _rounded(finding: Finding) -> Finding:
    return finding.model_copy(
        update={
            name: None if value is None else rounded(value)
            for name, value in (("value", finding.value), ("threshold", finding.threshold))
        }
    )
