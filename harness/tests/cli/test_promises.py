"""The page of promises: its table, and which real trials it takes."""

from __future__ import annotations

from plumbline.cli.promises import table
from plumbline.stats.promises.measured import Measured


def test_a_broken_promise_is_bold() -> None:
    rows = [
        Measured("equal sides are flagged", "iid", 100, 0.01, 0.0, 0.012),
        Measured("equal sides are flagged", "drift", 100, 0.02, 0.0, 0.012),
        Measured("covers", "iid", 100, 0.95, 0.94, 0.96),
        Measured("covers", "drift", 100, 0.99, 0.988, 1.0),
    ]
    assert [row.kept for row in rows] == [True, False, True, True]
    assert table(rows, promised=True).splitlines() == [
        "|  | promised | iid | drift |",
        "| --- | ---: | ---: | ---: |",
        "| equal sides are flagged | at most 1.2% | 1.00% | **2.00%** |",
        "| covers | 94% to 96% | 95.00% | 99.00% |",
    ]
