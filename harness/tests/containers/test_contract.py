"""A subject of each framework keeps the contract in a container as it does as a process, bad days and load included.

With `--every-variant` each container of a suite does so too, and every other variant answers in a container as the
contract says.
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
    of_all = [subject.id for subject in of_suites() if in_container(subject.settings)] if every else []
    answering = [f"{subject}+run-in=container" for subject in plain_subjects()] if every else []
    extents = dict.fromkeys((*(f"{subject}+run-in=container" for subject in SUBJECTS), *of_all), ALL)
    extents |= {subject: Extent(contract_only=True) for subject in answering if subject not in extents}
    metafunc.parametrize(("subject", "asked"), list(extents.items()), indirect=["subject"], ids=list(extents))


def test_it_keeps_the_contract(subject: str, asked: Extent, context: Context, testbed: Testbed) -> None:
    parts = check_conformance(testbed, context, subject, asked)
    assert {part.name: part.problems for part in parts if part.problems} == {}
