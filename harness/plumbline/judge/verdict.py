"""Makes one verdict of the findings of a trial, and one of the trials of a session."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from plumbline.model.finding import Finding, Verdict
from plumbline.model.host import HostClass
from plumbline.model.plan import Plan
from .rules import REQUIRED

_GRAVITY: tuple[Verdict, ...] = ("valid", "advisory", "invalid")


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
