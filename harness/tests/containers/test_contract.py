"""A subject of each framework keeps the contract in a container as it does as a process, bad days and load included.

With `--every-variant` so does each container of a suite, and every other variant answers there as the contract says.
"""

from __future__ import annotations

import pytest

from plumbline.catalog.settings import in_container
from plumbline.conformance.suite import Extent, check_conformance
from plumbline.run.context import Context
from plumbline.run.testbed import Testbed
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
    whole = dict.fromkeys((*(f"{one}+run-in=container" for one in SUBJECTS), *of_all))
    if metafunc.function is test_it_keeps_the_contract:
        metafunc.parametrize("subject", list(whole), indirect=True)
    else:
        others = [f"{one}+run-in=container" for one in plain_subjects()] if every else []
        metafunc.parametrize("subject", [one for one in others if one not in whole], indirect=True)


def test_it_keeps_the_contract(subject: str, context: Context, testbed: Testbed) -> None:
    assert {part.name: part.said for part in check_conformance(testbed, context, subject) if part.said} == {}


def test_it_answers_as_the_contract_says(subject: str, context: Context, testbed: Testbed) -> None:
    asked = Extent(contract_only=True)
    parts = check_conformance(testbed, context, subject, asked)
    assert {part.name: part.said for part in parts if part.said} == {}
