"""Applications in real containers, once by each engine of this host; an engine that is not there is named at the end.

`PLUMBLINE_CONTAINER_ENGINE` narrows that to one engine. The base of the images is what `PLUMBLINE_BASE_IMAGE` names,
else Temurin's, which is fetched.
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
    """The context of this checkout with that engine."""
    found = open_context(live.ROOT, [], print)
    made = replace(found, environ={**found.environ, ENGINE_VARIABLE: str(request.param)})
    # Planned anew they would be of the CPUs to which a testbed holds this process by then.
    made.__dict__["sets"] = found.sets
    return made


@pytest.fixture(scope="session")
def containers(context: Context) -> ContainerEngine:
    """The engine that runs the context's containers."""
    found = context.container_engine
    assert isinstance(found, ContainerEngine), found
    return found


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Which engines ran all this, and why another did not."""
    terminalreporter.section("engines")
    for name, found in FOUND.items():
        said = f"ran: {found.version}" if isinstance(found, ContainerEngine) else f"not run: {found}"
        terminalreporter.write_line(f"{name:8} {said}")
