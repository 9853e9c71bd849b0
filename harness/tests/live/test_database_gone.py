"""While its database or a source of its orders is gone, an application says 503; without a restart it recovers."""

from __future__ import annotations

import pytest

from plumbline.measuring.conformance.lost_database import gone_and_back
from plumbline.measuring.conformance.serving import job_to_check, serves
from plumbline.measuring.conformance.silent_sources import without_sources
from plumbline.measuring.conformance.suite import TUNED
from plumbline.measuring.run.context import Context
from plumbline.measuring.run.testbed import Testbed
from plumbline.model.subject import Subject
from plumbline.verdicts.contract.waits import ORDER
from tests.checkout import CATALOG
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
    if metafunc.function is test_sources_gone:
        pairs = [pair for pair in pairs if serves(CATALOG.variants[Subject.parse(pair[1]).variant].spec, ORDER)]
    metafunc.parametrize(
        ("engine", "subject"), pairs, indirect=True, scope="module", ids=[subject for _, subject in pairs]
    )


def test_gone_and_back(subject: str, context: Context, testbed: Testbed) -> None:
    assert gone_and_back(testbed, job_to_check(context, testbed, subject)) == ()


def test_sources_gone(subject: str, context: Context, testbed: Testbed) -> None:
    assert without_sources(testbed, job_to_check(context, testbed, subject)) == ()
