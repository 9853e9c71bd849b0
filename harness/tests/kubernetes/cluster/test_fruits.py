"""A trial of a suite in a real cluster: a variant as it is built here, PostgreSQL with its rows, and a kill."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator

import pytest

from .cluster import Cluster
from .test_trial import KILLED, LONG_S, all_of, cpus, runs, whole
from .trial import FRUITS, ClusterTrial, load_real_images, open_trial


@pytest.fixture(scope="module")
def serving_fruits(measuring: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Cluster:
    """The cluster with the images of the suite's variant and of PostgreSQL."""
    load_real_images(measuring, tmp_path_factory.mktemp("images"))
    return measuring


@pytest.fixture
def fruits(serving_fruits: Cluster, request: pytest.FixtureRequest) -> Iterator[ClusterTrial]:
    name = request.function.__name__.removeprefix("test_").replace("_", "-")
    with open_trial(serving_fruits, name[:40], LONG_S, FRUITS, rate_per_s=20) as opened:
        # On one CPU a cold JVM would be behind for all of so short a load.
        opened.warm_up("/fruits", 500)
        yield opened


def test_every_answer_is_right(fruits: ClusterTrial) -> None:
    own = cpus(runs("java", fruits.application))
    assert len(own) == 1
    fruits.start()
    fruits.finished("Complete")
    result = whole(fruits).result
    assert result.failed == result.checks_failed == result.wrong_length == 0
    assert result.checks_passed > 0


def test_a_database_that_is_killed_fails_what_comes_after(fruits: ClusterTrial) -> None:
    serving = runs("java", fruits.application)
    assert fruits.database is not None
    fruits.start()
    os.kill(min(all_of("postgres", fruits.database)), signal.SIGKILL)
    assert fruits.ended("database")["exitCode"] == KILLED
    fruits.finished("Complete")
    assert whole(fruits).result.failed > 0
    assert runs("java", fruits.application) == serving
