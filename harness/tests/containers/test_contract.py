"""A subject of each framework keeps the contract in a container as it does as a process, bad days and load included.

With `--every-variant` so does each container of a suite, and every other variant answers there as the contract says.
"""

from __future__ import annotations

import pytest

from plumbline.measuring.conformance.suite import ALL, Extent, check_conformance
from plumbline.measuring.run.context import Context
from plumbline.measuring.run.testbed import Testbed
from plumbline.subjects.catalog.settings import in_container
from tests.live.subjects import of_suites, plain_subjects

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


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    every = bool(metafunc.config.getoption("every_variant"))
    of_all = [one.id for one in of_suites() if in_container(one.settings)] if every else []
    answering = [f"{one}+run-in=container" for one in plain_subjects()] if every else []
    asked = dict.fromkeys((*(f"{one}+run-in=container" for one in SUBJECTS), *of_all), ALL)
    asked |= {one: Extent(contract_only=True) for one in answering if one not in asked}
    metafunc.parametrize(("subject", "asked"), list(asked.items()), indirect=["subject"], ids=list(asked))


def test_it_keeps_the_contract(subject: str, asked: Extent, context: Context, testbed: Testbed) -> None:
    parts = check_conformance(testbed, context, subject, asked)
    assert {part.name: part.said for part in parts if part.said} == {}
