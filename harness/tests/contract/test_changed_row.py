"""Rows that may be changed while they are served: of the contract's own golden answers."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from plumbline.contract.changed_row import changed_answer, choose_row, has_changeable_text

GOLDEN = Path(__file__).resolve().parents[3] / "apps" / "contract" / "golden"


@pytest.mark.parametrize(
    ("workload", "answer", "table"),
    [
        ("fruits", "fruits", "fruits"),
        ("fruits", "fruit-Apple", "fruits"),
        ("companies", "companies-hundred", "companies"),
    ],
)
def test_the_answer_has_the_rows_other_text_and_the_same_length(
    workload: str, answer: str, table: str
) -> None:
    golden = (GOLDEN / f"{answer}.json").read_text()
    rows = {choose_row(workload, golden, random.Random(seed)) for seed in range(20)}
    for row in rows:
        assert row is not None and row.table == table
        changed = changed_answer(golden, row)
        assert len(changed.encode()) == len(golden.encode()) and changed != golden
        assert changed.replace(row.after, row.before) == golden
    assert len({row.after for row in rows if row is not None}) == len(rows) > 1


def test_a_text_that_stands_twice_is_left_alone() -> None:
    golden = json.dumps([{"id": 1, "description": "red"}, {"id": 2, "description": "red"}])
    assert choose_row("fruits", golden, random.Random(1)) is None


@pytest.mark.parametrize("golden", ["[]", "{}", '"text"', '[{"id":1}]', '[{"description":"red"}]'])
def test_an_answer_without_rows_has_none_to_change(golden: str) -> None:
    assert choose_row("fruits", golden, random.Random(1)) is None


def test_a_workload_without_a_database_has_no_rows() -> None:
    assert choose_row("hello", '"Hello"', random.Random(1)) is None
    assert not has_changeable_text("hello") and has_changeable_text("fruits")
