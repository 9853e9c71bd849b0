"""What live tests note as held: subjects all of whose tests ran and passed; who was left out keeps its entry."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from tests.live.conftest import Outcomes


def ran(outcomes: Outcomes, subject: str, outcome: str) -> None:
    item: Any = SimpleNamespace(nodeid=f"test[{subject}]", callspec=SimpleNamespace(params={"subject": subject}))
    outcomes.pytest_itemcollected(item)
    for when in ("setup", "call", "teardown"):
        found = outcome if when == "call" else "passed"
        report: Any = SimpleNamespace(
            nodeid=item.nodeid,
            when=when,
            passed=found == "passed",
            skipped=found == "skipped",
            user_properties=[],
        )
        outcomes.pytest_runtest_logreport(report)


def test_a_subject_that_this_host_cannot_run_neither_passed_nor_fell_short() -> None:
    outcomes = Outcomes()
    for outcome in ("passed", "failed", "skipped"):
        ran(outcomes, outcome, outcome)
    assert outcomes.whole == {"passed", "failed"}
    assert outcomes.short == {"failed"}
