"""R35: the record says where the numbers come from."""

from __future__ import annotations

from collections.abc import Iterable

from ..facts import SessionFacts, TrialFacts
from ..rule import PhaseChecks, Rule, doubtful, passed, unknown
from ..wording import listed


def judge(trial: TrialFacts, session: SessionFacts) -> Iterable[PhaseChecks]:
    """Dates, versions, kernel and microcode; a checkout with changes that no commit holds is a warning."""
    source, host = session.provenance, session.host
    if source is None:
        yield None, [unknown("The session's provenance is not recorded.")]
        return
    facts = {
        "commit": source.commit,
        "locks": source.locks,
        "JDK": source.jdk,
        "k6": source.k6,
        "database": source.database,
        "dates": source.started_at and source.ended_at,
        "CPU": host.cpu_model,
        "kernel": host.kernel,
        "microcode": host.microcode,
    }
    missing = [name for name, value in facts.items() if not value]
    checks = [unknown(f"Not recorded: {listed(missing)}.")] if missing else []
    if source.dirty:
        checks.append(doubtful("The checkout had changes that no commit holds: nobody else can run the same."))
    checks.append(passed(f"Commit, versions, kernel and microcode are recorded ({source.started_at})."))
    yield None, checks


RULE = Rule(
    id="R35",
    title="Provenance is recorded",
    source="the record",
    mistake="charts with no date and no source (study 002)",
    kind="correctness",
    judge=judge,
)
