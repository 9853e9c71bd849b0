"""R15: transactions mean the same everywhere."""

from __future__ import annotations

import pytest

from plumbline.model.evidence import Evidence
from tests.judge.damage import (
    Change,
    damaged,
    findings,
    measured,
    with_fields,
)
from tests.judge.evidence import evidence, session


def said(**database: object) -> Change:
    def change(found: Evidence) -> Evidence:
        told = found.environment or {}
        return found.model_copy(
            update={"environment": {**told, "database": {**told.get("database", {}), **database}}}
        )

    return change


@pytest.mark.parametrize(
    ("change", "outcome", "words"),
    [
        (
            said(isolation="serializable"),
            "invalid",
            "Transactions are serializable where the contract asks for",
        ),
        (said(synchronous_commit="off"), "invalid", "synchronous_commit off: commits are answered too early"),
        (
            with_fields(database_settings={"fsync": "off", "full_page_writes": "on"}),
            "invalid",
            "The server has fsync off",
        ),
        (
            with_fields(
                database_settings={"innodb_flush_log_at_trx_commit": "2", "innodb_doublewrite": "ON"}
            ),
            "invalid",
            "The server has innodb_flush_log_at_trx_commit 2",
        ),
        (
            with_fields(
                database_settings={"innodb_flush_log_at_trx_commit": "1", "innodb_doublewrite": "ON"}
            ),
            "pass",
            "a commit is on disk when it is answered.",
        ),
        (said(isolation=None), "unknown", "did not say what its transactions promise"),
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


def test_without_a_database_none_of_them_is_asked() -> None:
    whole = session()
    number = measured(whole)[0]
    its = whole.trials[number].scenario.model_copy(update={"uses_database": False})
    bare = damaged(whole, number, lambda found: evidence(whole.plan.trials[number - 1], whole.plan.sets), its)
    for rule in ("R14", "R15"):
        assert {finding.outcome for finding in findings(bare, number, rule).values()} == {"n/a"}
