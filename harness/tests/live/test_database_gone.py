"""While the database is gone an application says 503 in time, and it recovers by itself when the database is back."""

from __future__ import annotations

import pytest

from plumbline.measuring.conformance.lost_database import gone_and_back
from plumbline.measuring.conformance.serving import job_to_check
from plumbline.measuring.conformance.suite import TUNED
from plumbline.measuring.run.context import Context
from plumbline.measuring.run.testbed import Testbed
from .subjects import subjects

pytestmark = pytest.mark.slow

# One variant of each kind of data layer. `./bench test --all` takes every variant of the tree.
USUAL = ("control", "quarkus-rest-orm", "vertx-pg")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    every = bool(metafunc.config.getoption("every_variant"))
    pairs = [
        (engine, subject)
        for engine, subject in subjects(None if every else USUAL)
        if subject.removesuffix(TUNED).endswith(f"/jvm/{engine}")
    ]
    metafunc.parametrize(
        ("engine", "subject"), pairs, indirect=True, scope="module", ids=[subject for _, subject in pairs]
    )


def test_gone_and_back(subject: str, context: Context, testbed: Testbed) -> None:
    assert gone_and_back(testbed, job_to_check(context, testbed, subject)) == ()
