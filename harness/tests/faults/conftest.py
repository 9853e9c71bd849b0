"""A testbed with a real database for all live faults, their clean twins, and the table of the rules that named them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from plumbline.measuring.run.context import Context
from plumbline.measuring.run.planning import plan_session
from plumbline.measuring.run.testbed import Testbed
from plumbline.subjects.plan.make import Selection
from plumbline.verdicts.judge.rules import RULES
from tests.live.conftest import context, engine, sets, testbed
from .bench import FaultBench, Found

__all__ = ["bench", "context", "engine", "sets", "testbed"]


@pytest.fixture(scope="module")
def bench(context: Context, testbed: Testbed, tmp_path_factory: pytest.TempPathFactory) -> FaultBench:
    """Where trials with a fault are run."""
    plan = plan_session(context, Selection(suite="smoke", only=("vertx-pg",), blocks=1, seed=1))
    return FaultBench(context, testbed, plan, tmp_path_factory.mktemp("faults"))


@pytest.fixture(autouse=True)
def told(request: pytest.FixtureRequest, record_property: Callable[[str, object], None]) -> Iterator[None]:
    """Asks that the clean twin of whatever a test named is not refused, and keeps the gravest for the table."""
    bench: FaultBench | None = request.getfixturevalue("bench") if "bench" in request.fixturenames else None
    found = [] if bench is None else bench.told
    found.clear()
    yield
    if bench is None or not found:
        return
    gravest = min(found, key=lambda one: one.finding.outcome != "invalid")
    twin = bench.clean(gravest.fault)
    record_property("rule", gravest.finding.rule)
    record_property("reading", gravest.finding.reading)
    record_property("twin", said_of_twin(twin, gravest.finding.rule, bench.trips))


def said_of_twin(twin: Found, rule: str, tripped: frozenset[str] = frozenset()) -> str:
    """The load of a clean twin and what the rule says of it. Raises AssertionError where any rule refuses the twin but
    those that are tripped anyway. What a rule only warns of is the host's: too few CPUs, or a neighbour.
    """
    kinds = {one.id: one.kind for one in RULES}
    # Two trials are no session, and rules of its design say so of any.
    judging = [one for one in twin.trial.findings if kinds[one.rule] != "design" and one.rule not in tripped]
    refused = [f"{one.rule}: {one.reading}" for one in judging if one.outcome == "invalid"]
    assert not refused, refused
    outcomes = {one.outcome for one in judging if one.rule == rule}
    words = ", ".join(f"{phase.name} {phase.duration_s:g} s" for phase in twin.fault.load if phase.duration_s)
    return f" Clean twin ({twin.fault.scenario}, {words}): {' and '.join(sorted(outcomes))}."


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Fault, rule, reading, seconds and clean twin of each test that named one."""
    seconds = {report.nodeid: report.duration for report in terminalreporter.stats.get("passed", [])}
    rows = [
        (
            report.nodeid.rpartition("::")[2],
            str(said["rule"]),
            f"{seconds[report.nodeid]:.0f}",
            f"{said['reading']}{said.get('twin', '')}",
        )
        for report in terminalreporter.stats.get("", [])
        if report.when == "teardown" and report.nodeid in seconds and (said := dict(report.user_properties))
    ]
    if rows:
        terminalreporter.section("faults, and what named them")
        for fault, rule, took_s, reading in rows:
            terminalreporter.line(f"{fault:60} {rule:6} {took_s:>4} s  {reading}")
