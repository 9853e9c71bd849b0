"""One stage with a real database for all live faults."""

from __future__ import annotations

import pytest

from plumbline.run.planning import plan_session
from plumbline.run.stage import Stage
from plumbline.run.workshop import Workshop
from tests.live.conftest import engine, stage, workshop
from .bench import FaultBench

__all__ = ["bench", "engine", "stage", "workshop"]


@pytest.fixture(scope="module")
def bench(workshop: Workshop, stage: Stage, tmp_path_factory: pytest.TempPathFactory) -> FaultBench:
    """Where trials with a fault are run."""
    plan = plan_session(workshop, "smoke", only=["vertx-pg"], blocks=1, seed=1)
    return FaultBench(workshop, stage, plan, tmp_path_factory.mktemp("faults"))
