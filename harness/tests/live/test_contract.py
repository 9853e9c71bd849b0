"""Every built subject keeps the contract: same status, body, writes and SQL work, and it says what runs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest

from plumbline.measuring.build.builder import Unavailable
from plumbline.measuring.conformance.checks import CHECKS, budget, golden, insert_race, transactions
from plumbline.measuring.conformance.serving import Serving, job_to_check, on_one_connection, serving
from plumbline.measuring.conformance.suite import takes_pool_settings
from plumbline.measuring.run.context import Context
from plumbline.measuring.run.job import Job
from plumbline.measuring.run.testbed import Testbed
from plumbline.model.host import CpuSets
from plumbline.verdicts.contract.budgets import QueryBudget, read_budgets
from .conftest import ROOT, every_cpu_for_app
from .subjects import subjects

# One variant of each kind of data layer. `./bench test --all` takes every variant and every subject of a suite.
USUAL = ("quarkus-rest-orm", "spring4-mvc-jpa", "vertx-pg", "control", "quarkus-hello-rest")
# The subjects that start soonest.
SHORT = ("vertx-pg/jvm/pg", "control/jvm/pg")
# The budget of the list holds for the rows of the seed, so it comes before the fruits of POST.
OPERATIONS = tuple(read_budgets(ROOT / "apps" / "contract"))


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "job" in metafunc.fixturenames:
        every = bool(metafunc.config.getoption("every_variant"))
        pairs = subjects(None if every else USUAL)
        parameters = [
            pytest.param(engine, subject, id=subject, marks=() if every or subject in SHORT else pytest.mark.slow)
            for engine, subject in pairs
        ]
        metafunc.parametrize(("engine", "subject"), parameters, indirect=True, scope="module")


@pytest.fixture(scope="module")
def sets(context: Context) -> CpuSets:
    """The application has every CPU: starts take longest here, and nothing is measured."""
    return every_cpu_for_app(context)


@pytest.fixture(scope="module")
def job(subject: str, context: Context, testbed: Testbed) -> Job:
    """The job of the subject. Its tests are skipped where the host lacks what the settings ask for, as four CPUs."""
    try:
        return job_to_check(context, testbed, subject)
    except Unavailable as error:
        pytest.skip(error.problem)


@pytest.fixture(scope="module")
def budgets(job: Job) -> dict[str, QueryBudget]:
    return read_budgets(ROOT / "apps" / "contract", job.settings)


@pytest.fixture(scope="module")
def running(job: Job, testbed: Testbed) -> Iterator[Serving]:
    with serving(testbed, job) as served:
        yield served


def test_every_probe_gets_its_golden_answer(job: Job, testbed: Testbed) -> None:
    """The first test of a subject, since its writes build on the seed. It has a process and a database of its own."""
    with serving(testbed, job) as served:
        assert golden(served) == ()


def test_each_operation_is_one_transaction(job: Job, testbed: Testbed, budgets: dict[str, QueryBudget]) -> None:
    """Subjects with TLS are left out: TLS changes no transaction, and PostgreSQL tells of it up to ten seconds late.
    So is a framework's own starter, which decides on its pool by itself.
    """
    if not takes_pool_settings(job):
        assert job.settings["profile"] == "defaults" or {"db-tls", "http-tls"} & job.subject.settings.keys()
        return
    with serving(testbed, on_one_connection(job)) as served:
        assert transactions(served, budgets) == ()


@pytest.mark.parametrize("check", CHECKS)
def test_it_is_what_was_asked_for(running: Serving, check: str) -> None:
    assert CHECKS[check](running) == ()


def test_it_says_which_thread_serves(running: Serving, record_property: Callable[[str, object], None]) -> None:
    """The name is noted for the table of systems, without the numbers that tell threads apart."""
    thread = running.environment()["thread"]
    name = "virtual" if thread["virtual"] else re.sub(r"[0-9][0-9.]*", "#", thread["name"])
    record_property("thread", name)
    assert name


@pytest.mark.parametrize("operation", OPERATIONS)
def test_the_sql_work_meets_the_budget(running: Serving, operation: str, budgets: dict[str, QueryBudget]) -> None:
    assert budget(running, operation, budgets[operation]) == ()


def test_of_two_inserts_of_a_zip_code_both_are_answered_by_what_is_stored(running: Serving) -> None:
    assert insert_race(running) == ()
