"""A subject of each framework keeps the contract in a container as it does as a process, bad days and load included.

With `--every-variant` so does every variant in its first packaging, and each container of a suite.
"""

from __future__ import annotations

import pytest

from plumbline.catalog.settings import in_container
from plumbline.conformance.suite import check_conformance
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
    found = [f"{one}+run-in=container" for one in SUBJECTS]
    if metafunc.config.getoption("every_variant"):
        found += [f"{one}+run-in=container" for one in plain_subjects()]
        found += [one.id for one in of_suites() if in_container(one.settings)]
    metafunc.parametrize("subject", list(dict.fromkeys(found)), indirect=True)


def test_it_keeps_the_contract(subject: str, context: Context, testbed: Testbed) -> None:
    assert {part.name: part.said for part in check_conformance(testbed, context, subject) if part.said} == {}
