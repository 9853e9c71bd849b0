"""Open alerts as questions for `./bench compare`: the commits on both sides of a change, interleaved on one host."""

from __future__ import annotations

from dataclasses import dataclass

from .alerts import Alert
from .series import Found


@dataclass(frozen=True)
class Candidate:
    """`command` is None where no two commits lie on the two sides; `reason` then says why."""

    alert: str
    command: str | None
    reason: str | None


def candidate(alert: Alert, found: Found | None) -> Candidate:
    """How to confirm an open alert; `found` is its change as it stands."""
    if found is None or not found.series.subject:
        return Candidate(alert.id, None, "The series carries no commits.")
    base = found.series.points[found.before_index].commit
    head = found.series.points[found.index].commit
    if base is None or head is None:
        return Candidate(alert.id, None, "A session on one side was measured outside a commit.")
    if base == head:
        return Candidate(alert.id, None, f"Both sides are of commit {head[:12]}: look at the host.")
    scenario = found.series.scenario.partition("@")[0]
    command = f"./bench compare {base[:12]} {head[:12]} --only '{found.series.subject}' --scenario {scenario}"
    return Candidate(alert.id, command, None)
