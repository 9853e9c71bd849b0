"""Rows of the contract's own golden answers that may be changed while they are served."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path

import pytest

from plumbline.model.plan import Scenario
from plumbline.verdicts.contract.changed_row import changed_answer, choose_row, has_changeable_text
from plumbline.verdicts.contract.probes import probe_by_key, read_probes

GOLDEN = Path(__file__).resolve().parents[3] / "apps" / "contract" / "golden"


@pytest.mark.parametrize(
    ("workload", "answer", "table"),
    [
        ("fruits", "fruits", "fruits"),
        ("fruits", "fruit-Apple", "fruits"),
        ("companies", "companies-hundred", "companies"),
        ("companies", "company-first", "companies"),
        ("orders", "order-first", "orders"),
    ],
)
def test_the_answer_has_the_rows_other_text_and_the_same_length(workload: str, answer: str, table: str) -> None:
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


@pytest.mark.parametrize(
    ("workload", "operation", "name"),
    [
        ("companies", "GET /companies/{id}", "company-first"),
        ("orders", "GET /orders/{orderId}", "order-first"),
        ("companies", "GET /companies?limit=100", None),
        ("fruits", "GET /fruits/{name}", None),
        ("orders", "POST /orders", None),
    ],
)
def test_a_row_that_is_read_by_its_key_has_a_probe(workload: str, operation: str, name: str | None) -> None:
    """Where the load asks for one thing alone, the load itself sees the change."""
    scenario = Scenario(
        name="x",
        version=1,
        workload=workload,
        script="x.ts",
        operation=operation,
        uses_database=True,
        phases=(),
    )
    found = probe_by_key(scenario, read_probes(GOLDEN.parent))
    assert (None if found is None else found.name) == name
    assert found is None or (found.body or b"").startswith(b'{"id":1,')


@pytest.mark.parametrize("engine", ["pg", "mysql"])
@pytest.mark.parametrize(
    ("workload", "answer"),
    [("fruits", "fruit-Apple"), ("companies", "company-first"), ("orders", "order-first")],
)
def test_the_row_is_found_by_the_primary_key_of_its_table(engine: str, workload: str, answer: str) -> None:
    row = choose_row(workload, (GOLDEN / f"{answer}.json").read_text(), random.Random(1))
    assert row is not None
    files = sorted((GOLDEN.parent / "sql").rglob("*.sql"))
    schema = "\n".join(file.read_text() for file in files if file.parent.name in ("sql", engine))
    table = re.search(rf"CREATE TABLE {row.table} \((.*?)\n\);", schema, re.DOTALL)
    assert table is not None
    assert re.search(rf"^ +{row.primary_key} .*PRIMARY KEY", table[1], re.MULTILINE)
    assert re.search(rf"^ +{row.column} ", table[1], re.MULTILINE)
