"""Compares the SQL work of each operation with its budget in `apps/contract/budgets.toml`."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType

from plumbline.model.base import Frozen
from plumbline.model.evidence import DatabaseWork

_TABLE = re.compile(r'\b(?:from|into|update)\s+(?:only\s+)?(?:"?\w+"?\.)?"?(?P<table>\w+)"?', re.IGNORECASE)
# Transaction control, and what a driver sends once per connection: no work of an operation.
_CONTROL = re.compile(r"(begin|commit|rollback|start|set|show|discard|deallocate)\b", re.IGNORECASE)
# The server's own checks of foreign keys: counted like statements of a function, although nobody asked for them.
_FOREIGN_KEY = re.compile(r"FROM ONLY .* FOR KEY SHARE OF x", re.DOTALL)

NAMES = {"hello": "World", "fruits": "Apple"}
"""The value of {name} in paths, by workload."""


class StatementBudget(Frozen):
    """The calls per request of one kind of statement on one table, and the rows that they return or write."""

    table: str
    kind: str
    calls: int
    rows: int


class OtherBudget(Frozen):
    """The work of an operation with a setting such as `sessions=several`; a field of None is as without the setting."""

    setting: str
    transactions: int | None = None
    statements: tuple[StatementBudget, ...] | None = None


class QueryBudget(Frozen):
    """The SQL work per request of one operation, and the request that is counted: {n} in it grows by `step`.

    Its transactions are begun and committed by statements; without `explicit`, each is one statement that commits by
    itself.
    """

    otherwise: tuple[OtherBudget, ...] = ()
    transactions: int
    explicit: bool = True
    statements: tuple[StatementBudget, ...]
    path: str | None = None
    body: str | None = None
    first: int = 1
    step: int = 1

    def with_settings(self, settings: Mapping[str, str]) -> QueryBudget:
        """Return the budget of a subject with these settings."""
        declared = {f"{name}={value}" for name, value in settings.items()}
        budget = self
        for other in self.otherwise:
            if other.setting in declared:
                overrides = {"transactions": other.transactions, "statements": other.statements}
                stated = {name: value for name, value in overrides.items() if value is not None}
                budget = budget.model_copy(update=stated)
        return budget

    @staticmethod
    def workload(operation: str) -> str:
        """Return the workload of an operation, by the first part of its path."""
        first = operation.split(" ")[1].split("/")[1]
        return "companies" if first == "benchmark" else first

    def request(self, operation: str, number: int) -> tuple[str, str, str | None]:
        """Return method, path and body of request `number`, counted from 0, of the budget's operation."""
        method, path = operation.split(" ")[:2]
        path = path.replace("{name}", NAMES.get(self.workload(operation), ""))
        counter = str(self.first + number * self.step)
        path = (self.path or path).replace("{n}", counter)
        return method, path, None if self.body is None else self.body.replace("{n}", counter)


def read_budgets(contract: Path, settings: Mapping[str, str] = MappingProxyType({})) -> dict[str, QueryBudget]:
    """Return the mapping operation -> budget of a subject with these settings, from the folder apps/contract."""
    data = tomllib.loads((contract / "budgets.toml").read_text(encoding="utf-8"))
    return {operation: QueryBudget.model_validate(row).with_settings(settings) for operation, row in data.items()}


@lru_cache(maxsize=4096)
def kind_of(query: str) -> tuple[str, str] | None:
    """Return (first table, verb) of a statement, whatever its aliases; None if it is no work of an operation."""
    if _CONTROL.match(query.lstrip()) or _FOREIGN_KEY.search(query):
        return None
    table = _TABLE.search(query)
    verb, *_ = query.split(None, 1) or ["?"]
    return table["table"].lower() if table else "?", verb.lower()


def over_budget(work: DatabaseWork, requests: int, budget: QueryBudget) -> tuple[str, ...]:
    """Return how the statements of `requests` requests differ from the budget, a sentence each."""
    calls: Counter[tuple[str, str]] = Counter()
    rows: Counter[tuple[str, str]] = Counter()
    for statement in work.statements:
        key = kind_of(statement.query)
        if key is not None:
            calls[key] += statement.calls
            rows[key] += statement.rows
    budgeted = {(item.table, item.kind): item for item in budget.statements}
    return tuple(_differences(calls, rows, budgeted, requests))


def _differences(
    calls: Counter[tuple[str, str]],
    rows: Counter[tuple[str, str]],
    budgeted: dict[tuple[str, str], StatementBudget],
    requests: int,
) -> Iterable[str]:
    for key in sorted(calls.keys() | budgeted.keys()):
        table, kind = key
        item = budgeted.get(key)
        for noun, counted, allowed in (
            ("calls", calls[key], item.calls if item else 0),
            ("rows", rows[key], item.rows if item else 0),
        ):
            if counted != allowed * requests:
                yield f"{kind} on {table}: {counted} {noun} for {requests} requests instead of {allowed * requests}"
