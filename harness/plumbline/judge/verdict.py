"""Decides how hard a rule is on a class of host, and makes verdicts of findings: of a trial, and of a session."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from plumbline.model.finding import Finding, Kind, Verdict
from plumbline.model.host import HostClass
from plumbline.model.plan import Plan
from .rule import Check
from .rules import REQUIRED

_GRAVITY: tuple[Verdict, ...] = ("valid", "advisory", "invalid")
# On `shared` and `small` hosts capacity and isolation can't be had as they should be, so a breach of them is at most a
# warning there; what is wrong stays wrong everywhere.
SOFT_OUTSIDE_LABS: frozenset[Kind] = frozenset({"capacity", "isolation"})


def softened(check: Check, kind: Kind, host_class: HostClass) -> Check:
    """The check as it counts on a host of that class; `kind` is the rule's, unless the check has its own."""
    soft = host_class != "lab" and (check.kind or kind) in SOFT_OUTSIDE_LABS
    return replace(check, outcome="warn") if soft and check.outcome == "invalid" else check


def trial_verdict(findings: Iterable[Finding], host_class: HostClass) -> Verdict:
    """Invalid when a finding is; advisory by a warning, a required rule unknown, or a host that is no lab."""
    found = list(findings)
    if any(finding.outcome == "invalid" for finding in found):
        return "invalid"
    doubted = any(
        finding.outcome == "warn" or (finding.outcome == "unknown" and finding.rule in REQUIRED)
        for finding in found
    )
    return "advisory" if doubted or host_class != "lab" else "valid"


def session_verdict(verdicts: Mapping[int, Verdict], plan: Plan) -> Verdict:
    """The worst verdict of a measured trial; a session that measured nothing is invalid."""
    measured = [
        verdicts[trial.number]
        for trial in plan.trials
        if trial.role == "measured" and trial.number in verdicts
    ]
    return max(measured, key=_GRAVITY.index, default="invalid")
