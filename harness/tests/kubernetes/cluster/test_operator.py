"""k6's operator runs the TestRun of a plan. Collected only where PLUMBLINE_K6_OPERATOR names a checkout of it."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from plumbline.machine.tools.k6 import get_k6
from plumbline.measuring.cluster.pod import Object
from plumbline.measuring.load.summary import merged
from .cluster import Cluster
from .k6_operator import STARTER, VARIABLE, RunnerServices, start_operator
from .programs_of_host import shell_files
from .test_trial import KILLED, answered_some, is_sent, runs
from .trial import GENERATORS, ClusterTrial, box, image_of_load, open_trial
from .waiting import until

SECONDS = 12.0


@pytest.fixture(scope="module")
def operated(measuring: Cluster) -> Iterator[Cluster]:
    """The cluster with the operator. The images of k6 and of the starter have a shell, as the official ones have."""
    k6 = get_k6(box()).program
    measuring.node.load(image_of_load(), {"/usr/bin/k6": k6, **shell_files("sh", "cat", "dirname", "grep", "mkdir")})
    measuring.node.load(STARTER, shell_files("sh", "curl"))
    start_operator(measuring, Path(os.environ[VARIABLE]))
    with RunnerServices(measuring):
        yield measuring


@pytest.fixture
def trial(operated: Cluster, request: pytest.FixtureRequest) -> Iterator[ClusterTrial]:
    name = request.function.__name__.removeprefix("test_").replace("_", "-")
    with open_trial(operated, name[:50].strip("-"), SECONDS, load="k6-operator") as opened:
        yield opened


def stage(trial: ClusterTrial, run: Object) -> str:
    """The stage of a TestRun, as the operator reports it."""
    return str(trial.cluster.api.get(trial.cluster.api.path_of(run)).get("status", {}).get("stage"))


def runners(trial: ClusterTrial) -> list[Object]:
    """The pods of the generators, in their order."""
    pods = trial.cluster.api.pods(trial.namespace, runner="true")
    return sorted(pods, key=lambda pod: pod["spec"]["hostname"])


def job_status(trial: ClusterTrial, runner: Object) -> Object:
    """What the API says of the Job of a generator."""
    name = runner["metadata"]["labels"]["job-name"]
    job: Object = trial.cluster.api.get(f"/apis/batch/v1/namespaces/{trial.namespace}/jobs/{name}")
    return dict(job["status"])


def started(trial: ClusterTrial) -> Object:
    """Make the TestRun; return it once the operator has let its runners go."""
    run = trial.test_run()
    until("the operator lets go", lambda: stage(trial, run) == "started", 180)
    return run


def test_the_operator_runs_the_load(trial: ClusterTrial, record_property: Callable[[str, object], None]) -> None:
    run = started(trial)
    until("the operator has finished", lambda: stage(trial, run) == "finished", 90)
    generators = runners(trial)
    assert len(generators) == GENERATORS
    outcomes = [trial.outcome(generator) for generator in generators]
    for outcome in outcomes:
        assert is_sent(outcome, trial.planned / GENERATORS)
    result = merged(outcomes).result
    assert result.requests == trial.answered()
    assert result.failed == result.checks_failed == 0
    starts = [outcome.window[0] for outcome in outcomes]
    record_property("the generators began apart by", f"{max(starts) - min(starts):.1f} ms")


def test_the_operator_calls_a_run_finished_whose_runner_was_killed(trial: ClusterTrial) -> None:
    run = started(trial)
    killed, other = runners(trial)
    answered_some(trial)
    os.kill(runs("k6", killed), signal.SIGKILL)
    assert trial.ended(killed["metadata"]["name"])["exitCode"] == KILLED
    until("the operator has finished", lambda: stage(trial, run) == "finished", 90)
    assert trial.outcome(other).result.requests > 0
    # No runner takes the place of the killed one, and the Job of the killed one alone says that it failed.
    assert len(runners(trial)) == GENERATORS
    assert [job_status(trial, runner).get("failed", 0) for runner in (killed, other)] == [1, 0]
