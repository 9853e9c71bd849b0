"""The files of the contract agree: golden answers with the seed, probes and budgets with the OpenAPI document."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from openapi_spec_validator import validate

from plumbline.model.evidence import DatabaseWork, Statement
from plumbline.subjects.catalog.settings import check_setting
from plumbline.verdicts.contract.budgets import QueryBudget, over_budget, read_budgets
from plumbline.verdicts.contract.probes import ProbeSpec, probes_of_variant, read_probes

CONTRACT = Path(__file__).resolve().parents[3] / "apps" / "contract"
DOCUMENT: dict[str, Any] = yaml.safe_load((CONTRACT / "openapi.yaml").read_text(encoding="utf-8"))
PROBES = read_probes(CONTRACT)


def test_the_golden_answers_are_those_of_the_seed() -> None:
    result = subprocess.run([sys.executable, CONTRACT / "make_golden.py", "--check"], capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.slow
def test_the_document_is_valid() -> None:
    validate(DOCUMENT)


def operation_of(method: str, path: str) -> dict[str, Any] | None:
    # Paths without parameters come before paths with parameters, as in every router.
    for template, methods in sorted(DOCUMENT["paths"].items(), key=lambda item: item[0].count("{")):
        if re.fullmatch(re.sub(r"\{\w+\}", "[^/]+", template), path) and method.lower() in methods:
            operation: dict[str, Any] = methods[method.lower()]
            return operation
    return None


@pytest.mark.parametrize("probe", [probe for probe in PROBES if probe.body is not None], ids=lambda probe: probe.name)
def test_every_golden_answer_is_one_that_the_document_names(probe: ProbeSpec) -> None:
    operation = operation_of(probe.method, probe.path.partition("?")[0])
    assert operation is not None
    assert {str(status) for status in probe.status} <= operation["responses"].keys()


@pytest.mark.parametrize("name", read_budgets(CONTRACT))
def test_every_budget_is_of_an_operation(name: str) -> None:
    method, path, _ = read_budgets(CONTRACT)[name].request(name, 0)
    assert operation_of(method, path.partition("?")[0]) is not None


def test_a_budgets_requests_differ_where_it_says_so() -> None:
    budget = read_budgets(CONTRACT)["DELETE /orders/{orderId}"]
    assert [budget.request("DELETE /orders/{orderId}", n)[1] for n in (0, 1)] == [
        "/orders/100",
        "/orders/103",
    ]


def test_a_setting_that_declares_other_work_has_a_budget_of_its_own() -> None:
    plain, several = read_budgets(CONTRACT), read_budgets(CONTRACT, {"sessions": "several", "pool": "1"})
    assert read_budgets(CONTRACT, {"sessions": "one"}) == plain
    changed = {name for name, budget in several.items() if budget != plain[name]}
    assert "POST /orders" in changed and all(QueryBudget.workload(name) == "orders" for name in changed)
    assert (plain["POST /orders"].transactions, several["POST /orders"].transactions) == (1, 2)
    assert several["POST /orders"].statements == plain["POST /orders"].statements
    grown = several["POST /orders/{orderId}/items/{itemId}"]
    assert (grown.transactions, sum(statement.calls for statement in grown.statements)) == (3, 4)


def test_every_budget_of_its_own_is_of_a_setting() -> None:
    for budget in read_budgets(CONTRACT).values():
        for other in budget.otherwise:
            name, _, value = other.setting.partition("=")
            check_setting(name, value, "budgets.toml")


def test_probes_are_chosen_by_kind_part_and_workload() -> None:
    workloads = ("hello", "fruits")
    loop = {
        probe.name
        for probe in probes_of_variant(PROBES, serves_on="event-loop", workloads=workloads, reads_only=workloads)
    }
    worker = {probe.name for probe in probes_of_variant(PROBES, serves_on="worker", workloads=workloads)}
    assert "sleep-async" in loop and "no-sleep-async" not in loop
    assert "sleep-async" not in worker and {"no-sleep-async", "created"} <= worker
    assert "created" not in loop
    fruits = probes_of_variant(PROBES, serves_on="worker", workloads=("fruits",))
    assert fruits and all(probe.path.startswith("/fruits") for probe in fruits)


BUDGET = read_budgets(CONTRACT)["GET /fruits"]


def work(*statements: tuple[str, int, int]) -> DatabaseWork:
    return DatabaseWork(
        phase="x",
        commits=2,
        rollbacks=0,
        statements=tuple(Statement(query=query, calls=calls, rows=rows) for query, calls, rows in statements),
    )


WITHIN = (
    ("BEGIN READ ONLY", 2, 0),
    ('select f1_0.id from "fruits" f1_0 order by f1_0.id', 2, 20),
    ("SELECT * FROM store_fruit_prices WHERE fruit_id = ANY($1)", 2, 68),
    ("select * from public.stores where id = any($1)", 2, 16),
    ("COMMIT", 2, 0),
)


def sentences_over_budget(*statements: tuple[str, int, int], budget: QueryBudget = BUDGET) -> tuple[str, ...]:
    return over_budget(work(*statements), 2, budget)


def test_work_within_the_budget_is_nothing_to_speak_of() -> None:
    assert sentences_over_budget(*WITHIN) == ()


def test_the_servers_own_checks_of_foreign_keys_are_no_work_of_an_operation() -> None:
    check = 'SELECT $2 FROM ONLY "public"."stores" x WHERE "id" OPERATOR(pg_catalog.=) $1 FOR KEY SHARE OF x'
    assert sentences_over_budget(*WITHIN, (check, 68, 68)) == ()


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        (
            ("SELECT * FROM store_fruit_prices WHERE fruit_id = $1", 20, 68),
            "20 calls for 2 requests instead of 2",
        ),
        (
            ("SELECT * FROM store_fruit_prices WHERE fruit_id = ANY($1)", 2, 60),
            "60 rows for 2 requests instead of 68",
        ),
        (("SELECT 1", 2, 2), "store_fruit_prices: 0 calls"),
    ],
)
def test_one_statement_a_fruit_fewer_rows_or_another_statement(changed: tuple[str, int, int], words: str) -> None:
    rows = list(WITHIN)
    rows[2] = changed
    assert any(words in sentence for sentence in sentences_over_budget(*rows))
