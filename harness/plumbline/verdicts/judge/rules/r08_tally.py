"""R8: every write that was answered as done is in the database, and nothing else is."""

from __future__ import annotations

import math
from collections.abc import Iterable

from plumbline.model.evidence import LoadResult
from ..facts import SessionFacts, TrialFacts
from ..rule import PhaseChecks, Rule, broken, passed, unknown
from ..wording import counted


def judge(trial: TrialFacts, session: SessionFacts) -> Iterable[PhaseChecks]:
    """Rows inserted against successful writes, in each measured phase."""
    for facts in trial.phases():
        load, work = facts.load, facts.work
        if load is None or work is None:
            yield facts.phase.name, [unknown("Writes or rows were not counted.")]
            continue
        rows = sum(work.rows_inserted.values())
        # Rows are counted when no request is under way any more, so no row may be missing. A request that k6 gave up
        # may have written its row all the same.
        extra = in_flight(load) if load.writes else 0
        off = rows - load.writes
        reading = f"{counted(rows, 'row')} inserted for {counted(load.writes, 'successful write')}"
        good = load.requests - load.failed
        if load.writes == 0 and trial.scenario.grows and rows <= good + in_flight(load):
            # Whether a request finds or inserts is the database's to say, not k6's.
            successes = counted(good, "success", "successes")
            reading = f"{counted(rows, 'row')} inserted by {successes}, which find or insert."
            yield facts.phase.name, [passed(reading, rows, "rows", good)]
        elif 0 <= off <= extra:
            yield facts.phase.name, [passed(f"{reading}.", off, "rows", extra)]
        else:
            words, allowed = ("too many", extra) if off > 0 else ("missing", 0)
            yield facts.phase.name, [broken(f"{reading}: {abs(off)} {words}.", off, "rows", allowed)]


def in_flight(load: LoadResult) -> int:
    """Return how many requests may have been under way at one moment."""
    if load.connections is not None:
        return load.connections
    return math.ceil((load.rate_per_s or 0) * (load.latency_max_ms or 0) / 1000)


RULE = Rule(
    id="R8",
    title="Rows written equal successful writes",
    source="pg_stat_user_tables and k6's summary",
    mistake="95 rows, 95 successes, then nothing (study 000)",
    kind="correctness",
    of_database=True,
    needs=("load", "database"),
    judge=judge,
)
