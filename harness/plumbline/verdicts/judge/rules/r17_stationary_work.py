"""R17: requests do the same work in the first third of a phase as in the last third."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from plumbline.model.evidence import DatabaseWork, Series, Window
from plumbline.model.plan import Scenario
from plumbline.verdicts.figures.series import increase, per_second, window_of_rows
from ..facts import PhaseFacts, SessionFacts, TrialFacts
from ..rule import Check, PhaseChecks, Rule, broken, in_windows, passed, unknown

# The cost of a request moves with the share of writes, and with the size of what the request reads.
CHANGE_MAX = 0.05
# Backends report about once a second, so a third has to be long enough to have some reports.
THIRD_S_MIN = 3.0
# A report comes up to a second late. Over ten backends that is 0.29 s / sqrt(10) of work more or less at each of the
# four ends of two thirds, 0.18 s in all; this is four times as much. A clean phase of 10 s was seen 6 % off.
LATE_S = 0.75
# What a session of PostgreSQL counted in the last second before it fell idle, it reports ten seconds later.
KEPT_S = 10.5
SENT_WITHIN_S = 1.0
# What grows evenly grows by this share of its whole growth between the middle of the first third and the middle of the
# last.
BETWEEN_MIDDLES = 2 / 3


def judge(trial: TrialFacts, session: SessionFacts) -> Iterable[PhaseChecks]:
    """Rows inserted a request, and the size of every table that is not meant to grow, in each measured phase."""

    def checks(facts: PhaseFacts, window: Window) -> list[Check]:
        if facts.work is None:
            return [unknown("The rows of the tables were not counted.")]
        if not facts.work.rows_inserted:
            return [passed("No table grew.", 0.0, "relative change", CHANGE_MAX)]
        return [*_sizes(facts.work, trial.scenario), _share(trial.evidence.series, window)]

    yield from in_windows(trial, checks)


def _sizes(work: DatabaseWork, scenario: Scenario) -> Iterator[Check]:
    for table, grown in work.rows_inserted.items():
        if table in scenario.grows:
            continue
        before = work.table_rows.get(table, 0) - grown
        change = BETWEEN_MIDDLES * grown / max(before, 1)
        reading = f"The table {table} grew from {before:,} to {before + grown:,} rows"
        if change > CHANGE_MAX:
            yield broken(f"{reading}: later requests found another one.", change, "relative change", CHANGE_MAX)
        else:
            yield passed(f"{reading}.", change, "relative change", CHANGE_MAX)


def _share(series: Series, whole: Window) -> Check:
    third_s = (whole.end_s - whole.start_s) / 3
    if third_s < THIRD_S_MIN:
        return unknown(f"Rows were written, and the phase is too short to compare its thirds ({third_s:.1f} s each).")
    # Answers after the last row of a phase are in no later row: k6 has ended.
    thirds = [
        window_of_rows(series, whole.model_copy(update={"start_s": start_s, "end_s": start_s + third_s}))
        for start_s in (whole.start_s, whole.end_s - third_s)
    ]
    third_s = min(window.end_s - window.start_s for window in thirds)
    counts: list[tuple[float, float]] = []
    for window in thirds:
        rows, answers = (
            increase(series, "db.rows_inserted", window),
            increase(series, "load.requests", window),
        )
        if rows is None or not answers:
            return unknown("Rows written or answers were not counted throughout the phase.")
        counts.append((rows, answers))
    (first_rows, first_answers), (last_rows, last_answers) = counts
    first, last = first_rows / first_answers, last_rows / last_answers
    first_own = max(first_rows - _counted_late(series, whole, last_rows / third_s), 0.0) / first_answers
    # The last third may lie between what the first third counted and what it wrote itself: then nothing changed.
    change = max(last - first, first_own - last, 0.0) / max(first, last) if max(first, last) > 0 else 0.0
    most = CHANGE_MAX + LATE_S / third_s
    reading = f"{first:.3f} rows were written a request in the first third, and {last:.3f} in the last"
    if change > most:
        return broken(f"{reading}: the work drifted.", change, "relative change", most)
    return passed(f"{reading}.", change, "relative change", most)


def _counted_late(series: Series, whole: Window, rows_per_s: float) -> float:
    """Return how many rows of a busier phase before may be counted in this phase, which writes `rows_per_s`."""
    before = whole.model_copy(update={"start_s": max(whole.start_s - KEPT_S, 0.0), "end_s": whole.start_s})
    busiest_per_s = max(per_second(series, "db.rows_inserted", before), default=0.0)
    return max(busiest_per_s - rows_per_s, 0.0) * SENT_WITHIN_S


RULE = Rule(
    id="R17",
    title="The work stays the same",
    source="pg_stat_database or performance_schema, k6's running count, and the rows of the tables",
    mistake="a table that filled while it was measured: from all writes to all reads (study 000)",
    kind="correctness",
    of_database=True,
    # The series of rows and answers as well, but only where rows were written.
    needs=("windows", "database"),
    judge=judge,
)
