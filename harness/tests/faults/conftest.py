"""A testbed with a real database for all live faults, their clean twins, and the table of rules that named faults."""

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
    """Record the gravest finding that a test named; run the clean twin, which no rule may refuse."""
    bench: FaultBench | None = request.getfixturevalue("bench") if "bench" in request.fixturenames else None
    findings = [] if bench is None else bench.told
    findings.clear()
    yield
    if bench is None or not findings:
        return
    gravest = min(findings, key=lambda entry: entry.finding.outcome != "invalid")
    twin = bench.clean(gravest.fault)
    record_property("rule", gravest.finding.rule)
    record_property("reading", gravest.finding.reading)
    record_property("twin", said_of_twin(twin, gravest.finding.rule, bench.trips))


def said_of_twin(twin: Found, rule: str, tripped: frozenset[str] = frozenset()) -> str:
    """The load of a clean twin and the outcomes of the rule on it. Raises AssertionError where a rule refuses the twin,
    other than the `tripped` rules. A warning comes from the host: too few CPUs, or a neighbour.
    """
    kinds = {declared.id: declared.kind for declared in RULES}
    # Two trials are no session, and the rules of a session's design refuse any such pair.
    judging = [
        finding for finding in twin.trial.findings if kinds[finding.rule] != "design" and finding.rule not in tripped
    ]
    refused = [f"{finding.rule}: {finding.reading}" for finding in judging if finding.outcome == "invalid"]
    assert not refused, refused
    outcomes = {finding.outcome for finding in judging if finding.rule == rule}
    words = ", ".join(f"{phase.name} {phase.duration_s:g} s" for phase in twin.fault.load if phase.duration_s)
    return f" Clean twin ({twin.fault.scenario}, {words}): {' and '.join(sorted(outcomes))}."


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Print fault, rule, reading, seconds and clean twin of each test that named a fault."""
    seconds = {report.nodeid: report.duration for report in terminalreporter.stats.get("passed", [])}
    rows = [
        (
            report.nodeid.rpartition("::")[2],
            str(properties["rule"]),
            f"{seconds[report.nodeid]:.0f}",
            f"{properties['reading']}{properties.get('twin', '')}",
        )
        for report in terminalreporter.stats.get("", [])
        if report.when == "teardown" and report.nodeid in seconds and (properties := dict(report.user_properties))
    ]
    if rows:
        terminalreporter.section("faults, and what named them")
        for fault, rule, took_s, reading in rows:
            terminalreporter.line(f"{fault:60} {rule:6} {took_s:>4} s  {reading}")
