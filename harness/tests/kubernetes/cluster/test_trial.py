"""A trial in a real cluster: a CPU of its own, load over two generators, and what a kill in mid-load looks like."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from plumbline.measuring.cluster.api import ApiSilent
from plumbline.measuring.cluster.application import PORT
from plumbline.measuring.cluster.pod import Object
from plumbline.measuring.load.summary import LoadOutcome, merged
from .cluster import Cluster
from .kept import processes_of
from .node import RESERVED_CPU
from .trial import GENERATORS, INDEX_LABEL, ClusterTrial, open_trial
from .waiting import until

KILLED = 128 + signal.SIGKILL
# In mid-load a kill is seen by every generator.
LONG_S = 12.0


@pytest.fixture
def trial(measuring: Cluster, request: pytest.FixtureRequest) -> Iterator[ClusterTrial]:
    name = request.function.__name__.removeprefix("test_").replace("_", "-")
    with open_trial(measuring, name[:50].strip("-"), getattr(request, "param", 5.0)) as opened:
        yield opened


def cpus(pid: int) -> set[int]:
    """The CPUs that a process may run on, by the kernel."""
    status = Path(f"/proc/{pid}/status").read_text().splitlines()
    (words,) = (line.split()[1] for line in status if line.startswith("Cpus_allowed_list:"))
    ranges = (part.split("-") for part in words.split(","))
    return {cpu for ends in ranges for cpu in range(int(ends[0]), int(ends[-1]) + 1)}


def all_of(program: str, pod: Object) -> list[int]:
    """The processes of a pod that run that program."""
    pids = processes_of(pod["metadata"]["uid"])
    return sorted(pid for pid in pids if Path(f"/proc/{pid}/comm").read_text().strip() == program)


def runs(program: str, pod: Object) -> int:
    """The only process of a pod that runs that program."""
    (pid,) = all_of(program, pod)
    return pid


def answered_some(trial: ClusterTrial) -> None:
    """Wait until the load is under way."""
    until("the load is under way", lambda: trial.answered() > trial.planned / 10)


def whole(trial: ClusterTrial) -> LoadOutcome:
    """What all generators saw together."""
    outcome = merged([trial.outcome(generator) for generator in trial.generators()])
    assert is_sent(outcome, trial.planned)
    return outcome


def is_sent(outcome: LoadOutcome, planned: float) -> bool:
    """Whether the outcome has the planned arrivals: started, or dropped for want of a VU.

    A machine that is busy otherwise ends k6's window late or starts the last ones too late, some in ten of them.
    """
    return planned * 0.75 < outcome.result.requests + outcome.result.dropped < planned * 1.25


def test_a_whole_cpu_is_the_pods_own(trial: ClusterTrial) -> None:
    serving = runs("java", trial.application)
    assert trial.application["status"]["qosClass"] == "Guaranteed"
    own = cpus(serving)
    assert len(own) == 1 and RESERVED_CPU not in own
    generators = trial.start()
    for generator in generators:
        shared = cpus(runs("k6", generator))
        assert shared and not shared & own
    assert cpus(serving) == own
    trial.finished("Complete")


def test_two_generators_send_what_one_would(
    trial: ClusterTrial, record_property: Callable[[str, object], None]
) -> None:
    trial.start()
    trial.finished("Complete")
    generators = trial.generators()
    assert [generator["metadata"]["labels"][INDEX_LABEL] for generator in generators] == ["0", "1"]
    outcomes = [trial.outcome(generator) for generator in generators]
    for part in outcomes:
        assert is_sent(part, trial.planned / GENERATORS)
    outcome = whole(trial)
    assert outcome.result.requests == trial.answered()
    assert outcome.result.failed == outcome.result.checks_failed == 0
    starts = [part.window[0] for part in outcomes]
    record_property("the generators began apart by", f"{max(starts) - min(starts):.1f} ms")
    # No generator is let go before all are ready, so that they begin apart by the time of a few messages.
    assert outcome.window[1] - outcome.window[0] < (trial.params.duration_s + 1) * 1000


def test_the_proxy_of_the_api_lets_generators_go_as_well(trial: ClusterTrial) -> None:
    for generator in trial.waiting():
        trial.let_go_by_the_api(generator)
    trial.finished("Complete")
    assert whole(trial).result.requests == trial.answered()


def test_the_proxy_of_the_api_leaves_the_date_of_an_answer_as_a_pod_wrote_it(trial: ClusterTrial) -> None:
    name = trial.application["metadata"]["name"]
    place = f"/api/v1/namespaces/{trial.namespace}/pods/{name}:{PORT}/proxy/epoch"
    answer = trial.cluster.api.ask("GET", place, None, {})
    assert answer.headers["Date"] == "Thu, 01 Jan 1970 00:00:00 GMT"


@pytest.mark.parametrize("trial", [LONG_S], indirect=True)
def test_a_generator_that_is_killed_is_named(trial: ClusterTrial) -> None:
    generators = trial.start()
    answered_some(trial)
    os.kill(runs("k6", generators[1]), signal.SIGKILL)
    failed = trial.finished("Failed")
    assert failed["reason"] == "BackoffLimitExceeded"
    assert trial.ended(generators[1]["metadata"]["name"])["exitCode"] == KILLED
    assert generators[1]["metadata"]["labels"][INDEX_LABEL] == "1"


@pytest.mark.parametrize("trial", [LONG_S], indirect=True)
def test_a_generator_that_is_taken_away_gets_no_successor(trial: ClusterTrial) -> None:
    generators = trial.start()
    answered_some(trial)
    metadata = generators[0]["metadata"]
    trial.cluster.api.delete(f"/api/v1/namespaces/{trial.namespace}/pods/{metadata['name']}")
    assert trial.finished("Failed")["reason"] == "BackoffLimitExceeded"

    def others() -> set[str]:
        return {generator["metadata"]["name"] for generator in trial.generators()} - {metadata["name"]}

    # The generator ends by itself, as a deleted pod does.
    until("it is gone", lambda: len(trial.generators()) == len(others()))
    assert others() <= {generator["metadata"]["name"] for generator in generators}


@pytest.mark.parametrize("trial", [LONG_S], indirect=True)
def test_an_application_that_is_killed_fails_what_comes_after(trial: ClusterTrial) -> None:
    serving = runs("java", trial.application)
    trial.start()
    answered_some(trial)
    os.kill(serving, signal.SIGKILL)
    ended = trial.ended("application")
    assert (ended["exitCode"], ended["reason"]) == (KILLED, "Error")
    trial.finished("Complete")
    result = whole(trial).result
    assert result.failed > 0 and result.connect_errors > 0
    assert result.completed > trial.planned / 10


@pytest.mark.parametrize("trial", [LONG_S], indirect=True)
def test_the_load_outlives_the_kubelet(trial: ClusterTrial) -> None:
    serving = runs("java", trial.application)
    own = cpus(serving)
    trial.start()
    answered_some(trial)
    cluster = trial.cluster
    cluster.kubelet.kill()
    until("the API notices", lambda: cluster.condition("Ready") == "Unknown")
    assert trial.condition("Complete") is trial.condition("Failed") is None
    cluster.kubelet.start()
    until("the node is ready", cluster.node_is_ready)
    trial.finished("Complete")
    assert whole(trial).result.failed == 0
    assert runs("java", trial.application) == serving and cpus(serving) == own


@pytest.mark.parametrize("trial", [LONG_S], indirect=True)
def test_the_load_outlives_the_api_server(trial: ClusterTrial) -> None:
    trial.start()
    answered_some(trial)
    cluster = trial.cluster
    cluster.api_server.kill()
    with pytest.raises(ApiSilent):
        cluster.api.get("/readyz")
    before = trial.answered()
    until("the load goes on", lambda: trial.answered() > before)
    cluster.api_server.start()
    trial.finished("Complete")
    assert whole(trial).result.failed == 0
