"""R8 and R17: rows are written as the work explains, and the tables do not drift while it is measured."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from plumbline.model.evidence import Evidence
from tests.judge.damage import (
    both,
    damaged,
    findings,
    measured,
    with_column,
    with_load,
)
from tests.judge.evidence import LAST_ROW_S, TIMES, session
from tests.judge.phase_faults import ending, frozen, grown
from tests.judge.planned import scenario


def growing(table: str, rows: int, grown: int) -> Callable[[Evidence], Evidence]:
    """Evidence in which a table of `rows` rows grew by `grown` rows in each phase."""

    def changed(evidence: Evidence) -> Evidence:
        work = tuple(
            phase_work.model_copy(update={"rows_inserted": {table: grown}, "table_rows": {table: rows + grown}})
            for phase_work in evidence.database
        )
        return evidence.model_copy(update={"database": work})

    return changed


@pytest.mark.parametrize(
    ("rows", "rows_at_s", "grows", "outcome", "words"),
    [
        # A row each millisecond, on a table that does not notice.
        (10_000_000, lambda t_s: 1000 * t_s, (), "pass", "The table zipcode grew"),
        # The same rows on an empty table, which is meant to grow by the scenario.
        (0, lambda t_s: 1000 * t_s, ("zipcode",), "pass", "rows were written a request"),
        (0, lambda t_s: 1000 * t_s, (), "invalid", "The table zipcode grew from 0 to 9,000 rows"),
        # By 7 % and by 8 %.
        (128_600, lambda t_s: 1000 * t_s, (), "pass", "The table zipcode grew from 128,600 to 137,600 rows"),
        (112_500, lambda t_s: 1000 * t_s, (), "invalid", "The table zipcode grew from 112,500 to 121,500 rows"),
        # All writes at first, and ever fewer of them.
        (10_000_000, lambda t_s: 1e6 * (1 - 1 / (1 + t_s)), (), "invalid", "the work drifted"),
    ],
)
def test_work_that_drifts_is_named(
    rows: int, rows_at_s: Callable[[float], float], grows: tuple[str, ...], outcome: str, words: str
) -> None:
    whole = session()
    number = measured(whole)[1]
    change = both(growing("zipcode", rows, 9000), with_column("db.rows_inserted", lambda t_s, _: rows_at_s(t_s)))
    meant = scenario().model_copy(update={"grows": grows})
    found = findings(damaged(whole, number, change, meant), number, "R17")["closed"]
    assert (found.outcome, words in found.reading) == (outcome, True), found.reading


@pytest.mark.parametrize(("late_s", "outcome"), [(0.5, "pass"), (2.5, "invalid")])
def test_reports_that_come_late_are_no_drift_of_a_short_phase(late_s: float, outcome: str) -> None:
    whole = session()
    number = measured(whole)[1]
    open_phase, (start_s, _) = next(phase for phase in TIMES.items() if phase[0].startswith("open"))
    reported = with_column("db.rows_inserted", lambda t_s, _: 1000 * (t_s - late_s * (t_s < start_s + 2)))
    change = both(growing("zipcode", 10_000_000, 9000), reported)
    found = findings(damaged(whole, number, change), number, "R17")[open_phase]
    assert found.outcome == outcome, found.reading


def test_a_k6_that_is_gone_at_the_end_makes_no_drift() -> None:
    """Answers of the last second are in no row, while the rows that they wrote are."""
    whole = session()
    number = measured(whole)[1]
    open_phase, (start_s, _) = next(phase for phase in TIMES.items() if phase[0].startswith("open"))
    change = both(
        growing("zipcode", 10_000_000, 9000),
        with_column("db.rows_inserted", lambda t_s, _: 1000 * max(0.0, t_s - start_s)),
        ending(open_phase, start_s + 9.65),
        frozen("load.requests", start_s + 8.6, LAST_ROW_S),
    )
    found = findings(damaged(whole, number, change), number, "R17")[open_phase]
    assert found.outcome == "pass", found.reading


@pytest.mark.parametrize(("kept_s", "outcome"), [(1.0, "pass"), (3.0, "invalid")])
def test_rows_of_a_busier_phase_before_are_counted_late(kept_s: float, outcome: str) -> None:
    """A session that falls idle keeps what it counted in its last second, for ten seconds."""
    whole = session()
    number = measured(whole)[1]
    closed_end_s = TIMES["closed"][1]
    open_phase, (start_s, _) = next(phase for phase in TIMES.items() if phase[0].startswith("open"))

    def counted(t_s: float, _: float) -> float:
        busy, slow = 1000 * min(t_s, closed_end_s), 60 * max(t_s - start_s, 0.0)
        return busy + slow - 1000 * kept_s * (closed_end_s <= t_s < start_s + 3)

    change = both(growing("zipcode", 10_000_000, 900), with_column("db.rows_inserted", counted))
    found = findings(damaged(whole, number, change), number, "R17")[open_phase]
    assert found.outcome == outcome, found.reading


def test_reads_alone_need_no_thirds() -> None:
    whole = session()
    number = measured(whole)[1]
    found = findings(damaged(whole, number, with_column("db.rows_inserted", None)), number, "R17")
    assert {finding.outcome for finding in found.values()} == {"pass"}


def test_writes_without_their_series_are_unknown() -> None:
    whole = session()
    number = measured(whole)[1]
    change = both(growing("zipcode", 10_000_000, 9000), with_column("db.rows_inserted", None))
    assert findings(damaged(whole, number, change), number, "R17")["closed"].outcome == "unknown"


@pytest.mark.parametrize(
    ("grows", "rows", "outcome"),
    [(("zipcode",), 900, "pass"), (("zipcode",), 10**6, "invalid"), ((), 900, "invalid")],
)
def test_what_finds_or_inserts_writes_at_most_a_row_each(grows: tuple[str, ...], rows: int, outcome: str) -> None:
    whole = session()
    number = measured(whole)[1]
    meant = scenario().model_copy(update={"grows": grows})
    found = findings(damaged(whole, number, growing("zipcode", 0, rows), meant), number, "R8")
    assert found["closed"].outcome == outcome


@pytest.mark.parametrize(("grows", "outcome"), [(("zipcode",), "pass"), ((), "invalid")])
def test_who_is_meant_to_write_waits_for_the_disk_where_rows_are_not_counted(
    grows: tuple[str, ...], outcome: str
) -> None:
    """In a cluster nobody counts a phase's rows."""
    whole = session()
    number = measured(whole)[1]
    waits = both(grown("db.psi.io.some_us", 300_000), grown("psi.io.some_us", 300_000))
    change = both(waits, lambda evidence: evidence.model_copy(update={"database": ()}))
    meant = scenario().model_copy(update={"grows": grows})
    found = findings(damaged(whole, number, change, meant), number, "R11")["open@500"]
    assert found.outcome == outcome, found.reading


@pytest.mark.parametrize(("extra", "outcome"), [(7, "pass"), (8, "invalid")])
def test_a_request_that_was_given_up_may_have_written_its_row(extra: int, outcome: str) -> None:
    """At 500 requests a second, the slowest of which takes 12.6 ms, seven are under way at once."""
    whole = session()
    number = measured(whole)[1]
    change = both(growing("zipcode", 0, 900 + extra), with_load("open@500", writes=900))
    found = findings(damaged(whole, number, change), number, "R8")["open@500"]
    assert found.outcome == outcome, found.reading
