"""Live tests note a subject as checked if all its tests ran and passed; a subject left out keeps its entry."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from tests.live.conftest import Outcomes


def report_outcome(outcomes: Outcomes, subject: str, outcome: str) -> None:
    item: Any = SimpleNamespace(nodeid=f"test[{subject}]", callspec=SimpleNamespace(params={"subject": subject}))
    outcomes.pytest_itemcollected(item)
    for when in ("setup", "call", "teardown"):
        outcome_of_phase = outcome if when == "call" else "passed"
        report: Any = SimpleNamespace(
            nodeid=item.nodeid,
            when=when,
            passed=outcome_of_phase == "passed",
            skipped=outcome_of_phase == "skipped",
            user_properties=[],
        )
        outcomes.pytest_runtest_logreport(report)


def test_a_subject_that_this_host_cannot_run_neither_passed_nor_fell_short() -> None:
    outcomes = Outcomes()
    for outcome in ("passed", "failed", "skipped"):
        report_outcome(outcomes, outcome, outcome)
    assert outcomes.whole == {"passed", "failed"}
    assert outcomes.short == {"failed"}
