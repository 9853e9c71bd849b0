"""A subject of each framework keeps the contract in a container as it does as a process, bad days and load included."""

from __future__ import annotations

import pytest

from plumbline.conformance.suite import check_conformance
from plumbline.run.context import Context
from plumbline.run.testbed import Testbed

SUBJECTS = (
    "control/jvm/pg",
    "quarkus-hello-rest/jvm/none",
    "vertx-pg/jvm/pg",
    "vertx-pg/aot/pg",
    "micronaut-jdbc/jvm/pg",
    "quarkus-rest-orm/jvm/pg",
    "spring3-mvc-jpa/jvm/pg",
    "spring4-mvc-jpa/jvm/pg",
)


@pytest.mark.parametrize("subject", [f"{one}+run-in=container" for one in SUBJECTS], indirect=True)
def test_it_keeps_the_contract(subject: str, context: Context, testbed: Testbed) -> None:
    assert {part.name: part.said for part in check_conformance(testbed, context, subject) if part.said} == {}
