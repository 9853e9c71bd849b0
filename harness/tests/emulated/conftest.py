"""One box for all tests on an emulated host, and one host on which the runner's parts are installed."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from .box import ROOT, Box, get_box
from .following import set_up_runner
from .machine import Machine


@pytest.fixture(scope="session")
def box() -> Box:
    """The box of this checkout, made on the first use."""
    return get_box(os.environ)


@pytest.fixture(scope="module")
def machine(box: Box, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    """A host as Debian installs it, with nothing of the project but its Python environment."""
    with Machine(box, tmp_path_factory.mktemp("machine")) as host:
        yield host


@pytest.fixture(scope="session")
def installed(box: Box, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    """A host after the first command of operate.md's step 5; code of this checkout is in /srv/brought."""
    brought = tmp_path_factory.mktemp("brought")
    brought.chmod(0o755)
    for name in ("runner-setup", "harness/plumbline", "harness/tests/emulated"):
        shutil.copytree(ROOT / name, brought / name, ignore=shutil.ignore_patterns("__pycache__"))
    with Machine(box, tmp_path_factory.mktemp("installed"), brought=brought) as host:
        set_up_runner(host, "/srv/brought")
        yield host


@dataclass
class Part:
    """One file of tests: how many passed and failed, and its seconds with what it set up."""

    passed: int = 0
    failed: int = 0
    seconds: float = 0.0


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print what became of each attempt, in the session and without its barrier; then plain counts of each part."""
    parts: dict[str, Part] = {}
    attempts: dict[str, dict[str, str]] = {}
    for reports in terminalreporter.stats.values():
        for report in reports:
            if not isinstance(report, pytest.TestReport):
                continue
            part = parts.setdefault(report.nodeid.rpartition("/")[2].partition("::")[0], Part())
            part.seconds += report.duration
            part.passed += report.passed and report.when == "call"
            part.failed += report.failed
            properties = dict(report.user_properties) if report.when == "call" and report.passed else {}
            if "attempt" in properties:
                attempts.setdefault(str(properties["attempt"]), {})[str(properties["where"])] = str(properties["said"])
    if attempts:
        terminalreporter.section("attempts: what the session said, and what became of them without their barrier")
    for name, outcomes in sorted(attempts.items()):
        terminalreporter.write_line(
            f"{name:24} {outcomes.get('session', 'NOT STOPPED'):50.50} {outcomes.get('bare', 'NO WAY'):.50}"
        )
    if parts:
        terminalreporter.section("emulated host")
    for name, part in sorted(parts.items()):
        terminalreporter.write_line(f"{name:24} {part.passed:3} passed, {part.failed} failed {part.seconds:6.0f} s")
    if attempts:
        stopped = sum("session" in outcomes for outcomes in attempts.values())
        unbarred = sum("bare" in outcomes for outcomes in attempts.values())
        terminalreporter.write_line(
            f"attempts: {len(attempts)}, {stopped} stopped; {unbarred} get through without their barrier"
        )
