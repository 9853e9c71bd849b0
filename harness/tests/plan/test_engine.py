"""A session has one database, and its control runs on it."""

from __future__ import annotations

import pytest

from plumbline.model.errors import UsageError
from plumbline.model.subject import Subject
from plumbline.subjects.plan.declared import control_of, engine_of
from plumbline.subjects.plan.phases import scenario_of
from tests.checkout import CATALOG


@pytest.mark.parametrize(
    ("ids", "engine"),
    [
        (["a/jvm/pg", "b/aot/pg+db-tls=require"], "pg"),
        (["a/jvm/mysql", "b/jvm/none"], "mysql"),
        (["a/jvm/none"], "pg"),
        ([], "pg"),
    ],
)
def test_the_subjects_say_which(ids: list[str], engine: str) -> None:
    subjects = [Subject.parse(id_) for id_ in ids]
    assert engine_of(subjects) == engine
    assert control_of(CATALOG, subjects).id == f"control/jvm/{engine}"


def test_two_are_refused() -> None:
    with pytest.raises(UsageError, match="one database, and these subjects ask for mysql and pg"):
        engine_of([Subject.parse("a/jvm/pg"), Subject.parse("a/jvm/mysql")])


def test_the_control_reads_where_it_does_not_write() -> None:
    suite = CATALOG.bench.suites["smoke"]
    orders, zipcode = (scenario_of(name, CATALOG.scenario(name), suite) for name in ("orders", "zipcode"))
    assert orders.of_control.operation == "GET /orders/{orderId}" and orders.operation == "POST /orders"
    assert zipcode.of_control is zipcode
