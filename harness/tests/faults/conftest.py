"""A testbed with a real database for all live faults, and the table of the rules that named them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from plumbline.model.record import Finding
from plumbline.plan.make import Selection
from plumbline.run.context import Context
from plumbline.run.planning import plan_session
from plumbline.run.testbed import Testbed
from tests.live.conftest import context, engine, testbed
from .bench import FaultBench

__all__ = ["bench", "context", "engine", "testbed"]


@pytest.fixture(scope="module")
def bench(context: Context, testbed: Testbed, tmp_path_factory: pytest.TempPathFactory) -> FaultBench:
    """Where trials with a fault are run."""
    plan = plan_session(context, Selection(suite="smoke", only=("vertx-pg",), blocks=1, seed=1))
    return FaultBench(context, testbed, plan, tmp_path_factory.mktemp("faults"))


@pytest.fixture(autouse=True)
def told(request: pytest.FixtureRequest, record_property: Callable[[str, object], None]) -> Iterator[None]:
    """Keeps the gravest of what a test was told of its fault for the table."""
    found: list[Finding] = request.getfixturevalue("bench").told if "bench" in request.fixturenames else []
    found.clear()
    yield
    if found:
        gravest = min(found, key=lambda one: one.outcome != "invalid")
        record_property("rule", gravest.rule)
        record_property("reading", gravest.reading)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Fault, rule, reading and seconds of each test that named one."""
    seconds = {report.nodeid: report.duration for report in terminalreporter.stats.get("passed", [])}
    rows = [
        (
            report.nodeid.rpartition("::")[2],
            str(said["rule"]),
            f"{seconds[report.nodeid]:.0f}",
            str(said["reading"]),
        )
        for report in terminalreporter.stats.get("", [])
        if report.when == "teardown" and report.nodeid in seconds and (said := dict(report.user_properties))
    ]
    if rows:
        terminalreporter.section("faults, and what named them")
        for fault, rule, took_s, reading in rows:
            terminalreporter.line(f"{fault:60} {rule:6} {took_s:>4} s  {reading}")
