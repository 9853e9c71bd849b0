"""Open alerts as questions for `./bench compare`: the commits on both sides of a change, interleaved on one host."""

from __future__ import annotations

from dataclasses import dataclass

from .alerts import Alert
from .series import FoundChange


@dataclass(frozen=True)
class Question:
    """What to compare: two commits in full, for one subject under one scenario."""

    base: str
    head: str
    subject: str
    scenario: str


@dataclass(frozen=True)
class Candidate:
    """`question` is None where no two commits lie on the two sides; `reason` then says why."""

    alert: str
    question: Question | None
    reason: str | None

    @property
    def command(self) -> str | None:
        """The question as one would type it."""
        asked = self.question
        if asked is None:
            return None
        sides = f"{asked.base[:12]} {asked.head[:12]}"
        return f"./bench compare {sides} --only '{asked.subject}' --scenario {asked.scenario}"


def candidate(alert: Alert, found: FoundChange | None) -> Candidate:
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
    return Candidate(alert.id, Question(base, head, found.series.subject, scenario), None)
