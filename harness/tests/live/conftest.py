"""Live tests share one workshop, one set of built artifacts and one open stage with a real database."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from plumbline.launch.lock import MachineLock
from plumbline.run.opening import open_stage, sweep
from plumbline.run.stage import Stage
from plumbline.run.workshop import Workshop, open_workshop

ROOT = Path(__file__).resolve().parents[3]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--every-variant", action="store_true", help="The contract of every variant of the tree."
    )


@pytest.fixture(scope="session")
def workshop() -> Workshop:
    """The workshop of this checkout."""
    return open_workshop(ROOT, [], print)


@pytest.fixture(scope="module")
def stage(workshop: Workshop, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    """The machine set up as for a session."""
    with MachineLock() as lock, ExitStack() as stack:
        sweep(workshop)
        yield open_stage(
            stack,
            workshop,
            session="live-tests",
            sets=workshop.sets,
            folder=tmp_path_factory.mktemp("stage"),
            lock=lock.descriptor,
        )
