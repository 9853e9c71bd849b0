"""A cluster for each file of tests; counts at the end."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from .cluster import Cluster
from .k6_operator import VARIABLE
from .trial import load_images

# These tests need a program that nobody has without building it.
collect_ignore = [] if os.environ.get(VARIABLE) else ["test_operator.py"]


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    """A cluster of one node; the first one of a checkout builds Kubernetes."""
    with Cluster() as started:
        yield started


@pytest.fixture(scope="module")
def measuring(cluster: Cluster) -> Cluster:
    """The cluster with the images that a trial needs."""
    load_images(cluster)
    return cluster


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """What was measured, then plain counts."""
    counted = terminalreporter.stats
    for report in counted.get("passed", []):
        for name, value in report.user_properties if report.when == "call" else ():
            terminalreporter.write_line(f"{report.nodeid.rpartition('::')[2]}: {name}: {value}")
    failed = len(counted.get("failed", [])) + len(counted.get("error", []))
    terminalreporter.section("a real cluster")
    terminalreporter.write_line(f"{len(counted.get('passed', []))} passed, {failed} failed")
