"""Applications in real containers, once by each engine of this host; an engine that is not there is named at the end.

`PLUMBLINE_CONTAINER_ENGINE` narrows the tests to one engine. The base of the images is what `PLUMBLINE_BASE_IMAGE`
names, else Temurin's, which is fetched.
"""

from __future__ import annotations

import os
from dataclasses import replace

import pytest

from plumbline.machine.tools.container import ENGINE_VARIABLE, ENGINES, ContainerEngine, find_container_engine
from plumbline.machine.tools.running import run
from plumbline.measuring.run.context import Context, open_context
from tests.live import conftest as live

pytest_addoption = live.pytest_addoption
pytest_configure = live.pytest_configure
pytest_sessionfinish = live.pytest_sessionfinish
engine, sets, testbed, subject = live.engine, live.sets, live.testbed, live.subject

NAMED = os.environ.get(ENGINE_VARIABLE)
FOUND = {
    name: find_container_engine({**os.environ, ENGINE_VARIABLE: name}, run) for name in ((NAMED,) if NAMED else ENGINES)
}


@pytest.fixture(scope="session", params=[name for name, found in FOUND.items() if isinstance(found, ContainerEngine)])
def context(request: pytest.FixtureRequest) -> Context:
    """The context of this checkout with this engine."""
    opened = open_context(live.ROOT, [], print)
    changed = replace(opened, environ={**opened.environ, ENGINE_VARIABLE: str(request.param)})
    # Sets that are planned anew would be of the CPUs to which a testbed holds this process by then.
    changed.__dict__["sets"] = opened.sets
    return changed


@pytest.fixture(scope="session")
def containers(context: Context) -> ContainerEngine:
    """The engine that runs the context's containers."""
    container_engine = context.container_engine
    assert isinstance(container_engine, ContainerEngine), container_engine
    return container_engine


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say which engines ran the tests, and why another engine did not."""
    terminalreporter.section("engines")
    for name, found in FOUND.items():
        outcome = f"ran: {found.version}" if isinstance(found, ContainerEngine) else f"not run: {found}"
        terminalreporter.write_line(f"{name:8} {outcome}")
