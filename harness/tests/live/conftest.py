"""Live tests share one context, one set of built artifacts and one open testbed with a real database.

With `--held FILE` they write which subjects were held to the contract: those whose every test ran and passed.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import cast

import pytest

from plumbline.machine.host.kernel import allowed_cpus
from plumbline.measuring.conformance.systems import LedgerEntry, read_ledger, write_ledger
from plumbline.measuring.launch.lock import MachineLock
from plumbline.measuring.run.context import Context, open_context
from plumbline.measuring.run.opening import open_testbed, sweep
from plumbline.measuring.run.testbed import Testbed
from plumbline.model.host import CpuSets
from plumbline.model.subject import Engine, Subject
from plumbline.subjects.catalog.catalog import read_catalog

ROOT = Path(__file__).resolve().parents[3]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--every-variant", action="store_true", help="The contract of every variant of the tree.")
    parser.addoption("--held", type=Path, help="The file of what was held to the contract, to be written.")


class Outcomes:
    """Which subjects passed all of their tests, and on which thread each served."""

    def __init__(self) -> None:
        self.short: set[str] = set()
        self.partial: set[str] = set()
        self.threads: dict[str, str] = {}
        self._subjects: dict[str, str] = {}
        self._ended: set[str] = set()

    def pytest_itemcollected(self, item: pytest.Item) -> None:
        if (subject := subject_of(item)) is not None:
            self._subjects[item.nodeid] = subject

    @property
    def whole(self) -> set[str]:
        """Subjects whose every test ran: no test was left out or interrupted."""
        missing = {subject for test, subject in self._subjects.items() if test not in self._ended}
        return set(self._subjects.values()) - missing - self.partial

    def pytest_deselected(self, items: list[pytest.Item]) -> None:
        self.partial |= {subject for item in items if (subject := subject_of(item)) is not None}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if (subject := self._subjects.get(report.nodeid)) is not None:
            if report.when == "teardown":
                self._ended.add(report.nodeid)
            if report.skipped:
                self.partial.add(subject)
            elif not report.passed:
                self.short.add(subject)
            for name, value in report.user_properties:
                if name == "thread":
                    self.threads[subject] = str(value)


def subject_of(item: pytest.Item) -> str | None:
    callspec = getattr(item, "callspec", None)
    return None if callspec is None else callspec.params.get("subject")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("held") is not None:
        config.pluginmanager.register(Outcomes(), "outcomes")


def pytest_sessionfinish(session: pytest.Session) -> None:
    outcomes = cast(Outcomes | None, session.config.pluginmanager.get_plugin("outcomes"))
    if outcomes is None or not outcomes.whole:
        return
    variants = read_catalog(ROOT).variants
    entries = {
        subject: None
        if subject in outcomes.short
        else LedgerEntry(
            workloads=variants[Subject.parse(subject).variant].spec.workloads,
            thread=outcomes.threads.get(subject),
        )
        for subject in outcomes.whole
    }
    path = session.config.getoption("held")
    write_ledger(path, read_ledger(path), entries)


@pytest.fixture(scope="module")
def subject(request: pytest.FixtureRequest) -> str:
    """The subject that a test is of, in a parameter of this name."""
    return str(request.param)


@pytest.fixture(scope="module")
def engine(request: pytest.FixtureRequest) -> Engine:
    """The database of the testbed."""
    name: Engine = getattr(request, "param", "pg")
    return name


@pytest.fixture(scope="session")
def context() -> Context:
    """The context of this checkout."""
    return open_context(ROOT, [], print)


@pytest.fixture(scope="module")
def sets(context: Context) -> CpuSets:
    """The CPUs of each role, as in a session."""
    return context.sets


def every_cpu_for_app(context: Context) -> CpuSets:
    """The CPUs of each role, but the application has every CPU: for tests that don't involve R19."""
    return context.sets.model_copy(update={"app": allowed_cpus(context.proc)})


@pytest.fixture(scope="module")
def testbed(
    context: Context, engine: Engine, sets: CpuSets, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Testbed]:
    """The machine set up as for a session."""
    with MachineLock() as lock, ExitStack() as stack:
        sweep(context)
        yield open_testbed(
            stack,
            context,
            session="live-tests",
            sets=sets,
            folder=tmp_path_factory.mktemp("testbed"),
            lock=lock.descriptor,
            engine=engine,
        )
