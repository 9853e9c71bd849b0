"""Repeated sessions: which orders they claim, and whether their intervals hold the mean of all sessions."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks import replaying
from benchmarks.repeats import (
    Claims,
    claims,
    figures,
    holding,
    main,
    mean_of_all,
    repeated,
    table,
)

from laboratory.promises.page import PAGE
from plumbline.archive.record.standings import standings
from plumbline.model.errors import UsageError
from plumbline.model.plan import Plan
from plumbline.model.record import Record
from tests.report.session import session

pytestmark = pytest.mark.slow


def scaled(record: Record, subject: str, factor: float) -> Record:
    """The record with every figure of a subject `factor` times as large."""
    trials = tuple(
        trial
        if trial.subject != subject
        else trial.model_copy(
            update={
                "figures": {
                    phase: {name: value * factor for name, value in values.items()}
                    for phase, values in trial.figures.items()
                }
            }
        )
        for trial in record.trials
    )
    plan: Plan = record.plan
    new_standings = standings(plan, trials, record.steadiness)
    return record.model_copy(update={"trials": trials, "standings": new_standings})


@pytest.fixture(scope="module")
def record() -> Record:
    return session()[0]


def cost_question(record: Record) -> tuple[str, str, str, str, str]:
    """The question of a cost that the session answers."""
    return next(key for key in claims([record]) if key[2] == "app_cpu_us_per_request")


def test_sessions_that_agree_claim_every_order_together(record: Record) -> None:
    orders = claims([record, record, record])
    assert orders and all(sorted([claim.first, claim.second]) == [0, 3] for claim in orders.values())
    assert f"{len(orders)} orders are claimed: {len(orders)} by all 3 sessions, 0 by one against another." in table(
        [record, record, record]
    )


def test_an_order_claimed_both_ways_is_a_contradiction(record: Record) -> None:
    question = cost_question(record)
    turned = scaled(record, question[3], 50.0)
    turned_back = scaled(record, question[3], 1 / 50.0)
    counts = claims([turned, turned_back])[question]
    assert counts == Claims(1, 1, 0) and counts.contradict
    assert " by one against another." in table([turned, turned_back])


def test_an_interval_holds_the_mean_of_all_unless_it_lies_beside(record: Record) -> None:
    question = cost_question(record)
    key = question[:4]
    assert holding(figures([record, record])[key]) == 2
    far = figures([record, record, scaled(record, question[3], 3.0)])[key]
    assert mean_of_all(far) > max(row.mean or 0 for row in far[:2]) and holding(far) == 0


def test_figures_of_a_single_session_are_compared_with_none(record: Record) -> None:
    assert figures([record]) == {}


def use_records(monkeypatch: pytest.MonkeyPatch, *records: Record) -> None:
    monkeypatch.setattr("benchmarks.repeats.judged_anew", lambda _: [(record, {}) for record in records])


def test_sessions_of_several_commits_or_hosts_are_no_repeats(
    tmp_path: Path, record: Record, monkeypatch: pytest.MonkeyPatch
) -> None:
    moved = record.provenance.model_copy(update={"commit": "0" * 40})
    other = record.model_copy(update={"provenance": moved})
    elsewhere = record.model_copy(update={"plan": record.plan.model_copy(update={"host": "elsewhere"})})
    for records in ([record], [record, other], [record, elsewhere]):
        use_records(monkeypatch, *records)
        with pytest.raises(UsageError, match="two or more sessions of one suite"):
            repeated([tmp_path])


def test_the_text_is_put_into_the_page(tmp_path: Path, record: Record, monkeypatch: pytest.MonkeyPatch) -> None:
    page = tmp_path / "promises.md"
    page.write_text(PAGE.read_text(encoding="utf-8"), encoding="utf-8")
    monkeypatch.setattr(replaying, "PAGE", page)
    monkeypatch.setattr("sys.argv", ["repeats", str(tmp_path / "none"), "--write"])
    assert main() == 2
    use_records(monkeypatch, record, record, record)
    assert main() == 0
    assert "3 sessions of the suite `" in page.read_text(encoding="utf-8")


def test_opposite_orders_end_with_status_1(tmp_path: Path, record: Record, monkeypatch: pytest.MonkeyPatch) -> None:
    subject = cost_question(record)[3]
    use_records(monkeypatch, scaled(record, subject, 50.0), scaled(record, subject, 1 / 50.0))
    monkeypatch.setattr("sys.argv", ["repeats", str(tmp_path)])
    assert main() == 1
