"""Asks all rules about a session, and makes one verdict of the findings of each trial."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from plumbline.model.batch import Batch
from plumbline.model.host import HostClass
from plumbline.model.plan import Plan, PlannedTrial
from plumbline.model.record import Finding, HostSession, Kind, Verdict
from .facts import SessionFacts, TrialFacts
from .rule import NO_DATABASE, Check, Rule, as_doubt, gravest, not_applicable
from .rules import REQUIRED, RULES

# Goes up when a rule or a threshold changes; records keep the version they were judged by.
RULES_VERSION = 38


Findings = dict[int, tuple[Finding, ...]]
"""The findings of every trial that left evidence, by number, in the order of rules and phases."""

_JOINT = ("R2", "R6", "R29")
"""Rules that all trials of a subject answer together: they are asked last, of the trials that no other rule refuses."""
_PLACES = {rule.id: place for place, rule in enumerate(RULES)}


def judge(session: SessionFacts, parts: Sequence[HostSession] = ()) -> Findings:
    """Return the findings of a session; the trials of a joined session are judged by its `parts`, host by host.

    A trial that proves a limit is judged together with the others; the others are judged as if it did not exist.
    """
    others = _findings(session.by_host(parts), [rule for rule in RULES if rule.id not in _JOINT])
    joint = _findings(without_refused(session, others).by_host(parts), [rule for rule in RULES if rule.id in _JOINT])
    return {
        number: tuple(sorted((*found, *joint[number]), key=lambda finding: _PLACES[finding.rule]))
        for number, found in others.items()
    }


def without_refused(session: SessionFacts, findings: Findings) -> SessionFacts:
    """Return the session whose proofs leave out the trials that a rule other than R2, R6 and R29 refuses."""
    refused = (
        number
        for number, found in findings.items()
        if any(finding.outcome == "invalid" and finding.rule not in _JOINT for finding in found)
    )
    return replace(session, refused=frozenset(refused))


def _findings(sessions: Iterable[SessionFacts], rules: Sequence[Rule]) -> Findings:
    findings: Findings = {}
    for session in sessions:
        for number, facts in sorted(session.trials.items()):
            findings[number] = tuple(finding for rule in rules for finding in findings_of(rule, facts, session))
        for number, facts in sorted(session.proofs.items()):
            with_proof = replace(session, trials={**session.trials, number: facts})
            findings[number] = tuple(finding for rule in rules for finding in findings_of(rule, facts, with_proof))
    return findings


def findings_of(rule: Rule, trial: TrialFacts, session: SessionFacts) -> list[Finding]:
    """Judge one trial by one rule: a finding for each phase, or one for the trial as a whole."""
    if (reason := why_not_asked(rule.id, session.plan, trial.planned)) is not None:
        return [gravest(rule.id, None, [not_applicable(reason)])]
    if rule.of_database and not trial.scenario.uses_database:
        return [gravest(rule.id, None, [NO_DATABASE])]
    checks_by_phase = list(rule.judge(trial, session))
    if not checks_by_phase:
        checks_by_phase = [(None, (not_applicable("No phase of this scenario is of the kind that this rule judges."),))]
    if rule.id in _ASKED_BY_A_BATCH and Batch.asked_by(trial.scenario.operation) is not None:
        checks_by_phase = [(phase, [as_doubt(check) for check in checks]) for phase, checks in checks_by_phase]
    return [
        gravest(rule.id, phase, [softened(check, rule.kind, session.plan.host_class) for check in checks])
        for phase, checks in checks_by_phase
    ]


# A batch is one request. On how many CPUs a client works then is what study 001 asks: CPUs that idle are the answer,
# and no reason to refuse the trial.
_ASKED_BY_A_BATCH = ("R1", "R3", "R12")

# Rules that do not apply to a comparison or a proof: its design answers them in another way, or makes them void.
# For every comparison: R32 looks at blocks of a suite, and each answer judges the order of its pairs (stats/design.py).
_COMPARISON = {"R32": "The order of pairs is judged with each answer of the comparison."}
# For a duet: a duet has no closed load that could saturate anything.
_DUET = {
    "R1": "A duet has no closed load: both sides at once would pull the ratio of throughputs to 1.",
    "R5": "A duet has no closed load.",
}
# The answer for a trial that proves a limit of others: its resources or load differ, and its figures do not count.
_ON_PURPOSE = "The trial has other resources or another load on purpose, and proves R2 or R6 of the others."
_PROOF = ("R1", "R2", "R3", "R6", "R12", "R20", "R29", "R30", "R32", "R33", "R34")


def why_not_asked(rule: str, plan: Plan, trial: PlannedTrial) -> str | None:
    """Return why a rule does not apply to a trial of this plan; None where it does."""
    if trial.proof is not None and rule in _PROOF:
        return _ON_PURPOSE
    if plan.comparison is None:
        return None
    profile = _COMPARISON | (_DUET if plan.comparison.design == "duet" else {})
    return profile.get(rule)


_GRAVITY: tuple[Verdict, ...] = ("valid", "advisory", "invalid")
# On `shared` and `small` hosts capacity and isolation can't be had as they should be, so a breach of such a rule is at
# most a warning there; a breach of correctness counts everywhere.
SOFT_OUTSIDE_LABS: frozenset[Kind] = frozenset({"capacity", "isolation"})


def softened(check: Check, kind: Kind, host_class: HostClass) -> Check:
    """Return the check as it counts on a host of that class; `kind` is the rule's kind, if the check has none."""
    soft = host_class != "lab" and (check.kind or kind) in SOFT_OUTSIDE_LABS
    return as_doubt(check) if soft else check


def trial_verdict(findings: Iterable[Finding], host_class: HostClass) -> Verdict:
    """Return the verdict of a trial: invalid if a finding is; advisory after a doubt, or on a host that is no lab."""
    all_findings = list(findings)
    if any(finding.outcome == "invalid" for finding in all_findings):
        return "invalid"
    doubted = any(
        finding.outcome == "warn" or (finding.outcome == "unknown" and finding.rule in REQUIRED)
        for finding in all_findings
    )
    return "advisory" if doubted or host_class != "lab" else "valid"


def session_verdict(verdicts: Mapping[int, Verdict], plan: Plan) -> Verdict:
    """Return the worst verdict of a measured trial; a session that measured nothing is invalid."""
    measured = [
        verdicts[trial.number] for trial in plan.trials if trial.role == "measured" and trial.number in verdicts
    ]
    return max(measured, key=_GRAVITY.index, default="invalid")
