"""R15: transactions mean the same everywhere."""

from __future__ import annotations

import pytest

from plumbline.model.evidence import Evidence, Statement
from tests.judge.damage import (
    Change,
    both,
    damaged,
    findings,
    measured,
    with_column,
    with_fields,
)
from tests.judge.evidence import evidence, session


def with_database(**database: object) -> Change:
    def change(trial_evidence: Evidence) -> Evidence:
        environment = trial_evidence.environment or {}
        return trial_evidence.model_copy(
            update={"environment": {**environment, "database": {**environment.get("database", {}), **database}}}
        )

    return change


@pytest.mark.parametrize(
    ("change", "outcome", "words"),
    [
        (
            with_database(isolation="serializable"),
            "invalid",
            "Transactions are serializable where the contract asks for",
        ),
        (with_database(synchronous_commit="off"), "invalid", "synchronous_commit off: commits are answered too early"),
        (
            with_fields(database_settings={"fsync": "off", "full_page_writes": "on"}),
            "invalid",
            "The server has fsync off",
        ),
        (
            with_fields(database_settings={"innodb_flush_log_at_trx_commit": "2", "innodb_doublewrite": "ON"}),
            "invalid",
            "The server has innodb_flush_log_at_trx_commit 2",
        ),
        (
            with_fields(database_settings={"innodb_flush_log_at_trx_commit": "1", "innodb_doublewrite": "ON"}),
            "pass",
            "a commit is on disk when it is answered.",
        ),
        (with_database(isolation=None), "unknown", "did not say what its transactions promise"),
        (
            with_fields(database_settings={"fsync": "on"}),
            "unknown",
            "did not say whether a commit is on disk",
        ),
    ],
)
def test_transactions_mean_the_same(change: Change, outcome: str, words: str) -> None:
    whole = session()
    number = measured(whole)[0]
    found = findings(damaged(whole, number, change), number, "R15")[None]
    assert (found.outcome, words in found.reading) == (outcome, True), found.reading


def of_closed(**fields: object) -> Change:
    """Evidence with other values in the database work of the closed phase."""
    return lambda trial_evidence: trial_evidence.model_copy(
        update={
            "database": tuple(
                work.model_copy(update=fields) if work.phase == "closed" else work for work in trial_evidence.database
            )
        }
    )


def sent(*queries: str) -> Change:
    statements = tuple(Statement(query=query, calls=5000, rows=0) for query in queries)
    return lambda trial_evidence: of_closed(statements=statements)(trial_evidence)


def log(rows: int, records_per_s: float, flushes_per_s: float) -> Change:
    """The closed phase wrote `rows` rows, and meanwhile the log of the database grew at these rates."""
    return both(
        of_closed(rows_inserted={"zipcode": rows}),
        with_column("db.wal_records", lambda t_s, _: t_s * records_per_s),
        with_column("db.wal_syncs", lambda t_s, _: t_s * flushes_per_s),
    )


ON = {"fsync": "on", "full_page_writes": "on"}
# Rows of the closed phase, which lasts 65 s.
ROWS = 65_000


@pytest.mark.parametrize(
    ("change", "outcome", "words"),
    [
        (
            sent("SET LOCAL synchronous_commit = $1"),
            "invalid",
            "was sent 5000 times: whether a commit is waited",
        ),
        (sent("SET synchronous_commit TO off"), "invalid", "'SET synchronous_commit TO off' was sent"),
        (sent('SET LOCAL "synchronous_commit" TO off'), "invalid", "whether a commit is waited for"),
        (sent("/* fast */ SET -- lines\n synchronous_commit TO off"), "invalid", "whether a commit is waited for"),
        (sent("/*!50003 SET sql_log_bin = ? */"), "invalid", "whether a commit is waited for"),
        (sent("SET GLOBAL innodb_flush_log_at_trx_commit = ?"), "invalid", "whether a commit is waited for"),
        (
            sent("BEGIN /* a\nb */ ISOLATION /* c */ LEVEL SERIALIZABLE"),
            "invalid",
            "the contract asks for read committed",
        ),
        (sent("DO $body$ BEGIN SET LOCAL synchronous_commit TO off; END $body$"), "warn", "what it sets is not seen"),
        (sent("/* of the order */ SELECT $1"), "pass", "No statement"),
        (sent("SET TRANSACTION ISOLATION LEVEL SERIALIZABLE"), "invalid", "asks for read committed"),
        (sent("BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY"), "invalid", "asks for read committed"),
        (
            sent("BEGIN ISOLATION LEVEL READ COMMITTED READ ONLY", "SHOW TRANSACTION ISOLATION LEVEL"),
            "pass",
            "No",
        ),
        (
            sent(
                "SET default_transaction_isolation = 'read committed'", "SET transaction_isolation TO 'read committed';"
            ),
            "pass",
            "",
        ),
        (
            sent("SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED", "BEGIN READ ONLY"),
            "pass",
            "No statement",
        ),
        (sent("SET default_transaction_isolation = $1"), "warn", "which level it sets is not seen"),
        (sent("SELECT set_config($1, $2, $3)"), "warn", "what it sets is not seen"),
        (of_closed(unlogged=("zipcode",)), "invalid", "No log keeps the rows of zipcode"),
        (
            of_closed(rewritten=("zipcode",)),
            "warn",
            "zipcode lay in another file after this phase than before",
        ),
        (of_closed(settings=(ON, {**ON, "fsync": "off"})), "invalid", "had fsync off after this phase"),
        (of_closed(settings=()), "unknown", "throughout the phase was not read"),
        (
            with_column("db.durable", lambda t_s, _: float(not 30 < t_s < 33)),
            "invalid",
            "seconds the server did not have each commit on disk",
        ),
        (log(ROWS, 2100, 600), "pass", "No statement"),
        (
            log(ROWS, 2100, 5),
            "invalid",
            "over 20 connections: commits were answered before they were on disk",
        ),
        (log(ROWS, 2100, 0), "invalid", "with 0 flushes of the log to disk"),
        (
            both(log(ROWS, 2100, 0), of_closed(settings=({**ON, "wal_sync_method": "open_datasync"},) * 2)),
            "unknown",
            "flushes its log by each write",
        ),
        (log(ROWS, 40, 600), "invalid", "65000 rows written left 2600 records in the log"),
        # Too few rows to tell: counters may be late by a second.
        (log(150, 0, 0), "pass", "No statement"),
        (both(log(ROWS, 2100, 600), with_column("db.wal_syncs", None)), "unknown", "were not counted"),
    ],
)
def test_what_the_database_did_counts_and_not_what_was_said(change: Change, outcome: str, words: str) -> None:
    whole = session()
    number = measured(whole)[0]
    found = findings(damaged(whole, number, change), number, "R15")
    assert (found["closed"].outcome, words in found["closed"].reading) == (outcome, True), found["closed"].reading
    assert found["warm-up"].outcome == "pass"


def test_without_a_database_none_of_them_is_asked() -> None:
    whole = session()
    number = measured(whole)[0]
    scenario = whole.trials[number].scenario.model_copy(update={"uses_database": False})
    bare = damaged(
        whole, number, lambda trial_evidence: evidence(whole.plan.trials[number - 1], whole.plan.sets), scenario
    )
    for rule in ("R14", "R15"):
        assert {finding.outcome for finding in findings(bare, number, rule).values()} == {"n/a"}
