"""A trial in a stand-in for a cluster: what it leaves as evidence, and the sentence when something is gone."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from plumbline.cluster import trial as cluster_trial
from plumbline.cluster.context import sets_of_nodes
from plumbline.cluster.names import ROLE_LABEL
from plumbline.cluster.trial import INDEX_LABEL, ClusterTrials
from plumbline.load.params import LoadParams
from plumbline.model.errors import UsageError
from plumbline.model.evidence import Evidence
from plumbline.model.host import CpuSets
from plumbline.model.plan import Phase, Plan
from plumbline.run.progress import Progress
from tests.cluster.planned import CATALOG, FILES, PASSWORDS, PINS, planned
from tests.cluster.stand_in import Answer, StandIn
from tests.cluster.test_preflight import node
from tests.load.test_summary import recorded

SUBJECT = "vertx-pg/jvm/pg"
KINDS = {
    "v1": ("Namespace", "Pod", "Service", "ConfigMap", "Secret"),
    "batch/v1": ("Job",),
    "networking.k8s.io/v1": ("NetworkPolicy",),
}
PLURALS = {"NetworkPolicy": "networkpolicies"}


class Cluster:
    """Objects as they were applied; pods are ready at once, and a job is complete as soon as it was let go."""

    def __init__(self) -> None:
        self.objects: dict[str, Any] = {}
        self.let_go: set[str] = set()
        self.count = 0
        self.on_load: Callable[[], None] = lambda: None
        self.refuses: tuple[str, str] | None = None
        self.waiting: dict[str, Any] | None = None

    def __call__(self, method: str, path: str, body: Any) -> Answer:
        group = path.removeprefix("/apis/").removeprefix("/api/")
        if group in KINDS:
            return 200, {
                "resources": [
                    {
                        "kind": kind,
                        "name": PLURALS.get(kind, f"{kind.lower()}s"),
                        "namespaced": kind != "Namespace",
                    }
                    for kind in KINDS[group]
                ]
            }
        if found := re.fullmatch(r".*/pods/([\w-]+):(\d+)/proxy(/.*)", path):
            return self._of_pod(found[1], found[3], body)
        if path.endswith("/serviceaccounts/default"):
            return 200, {}
        if path.endswith("/log"):
            return self._log(path.split("/")[-2])
        if path.endswith(("/pods", "/jobs")):
            name, _, value = body.get("labelSelector", "").partition("=")
            inside = [one for place, one in self.objects.items() if place.rpartition("/")[0] == path]
            return 200, {
                "items": [one for one in inside if not name or one["metadata"]["labels"][name] == value]
            }
        if method == "PATCH":
            return self._apply(path, body)
        if method == "DELETE":
            # All of a namespace goes with it, whatever its group.
            below = path.removeprefix("/api/v1") if path.count("/") == 4 else path
            gone = [place for place in self.objects if f"{below}/" in f"{place}/"]
            if "/jobs/" in path:
                gone += [place for place, one in self.objects.items() if "/pods/load-" in place]
            for place in gone:
                self.objects.pop(place, None)
            return 200, {}
        return (200, self.objects[path]) if path in self.objects else (404, {"message": f"{path} not found"})

    def pod(self, name: str) -> Any:
        (found,) = (one for place, one in self.objects.items() if place.endswith(f"/pods/{name}"))
        return found

    def end(self, name: str, code: int) -> None:
        status = self.pod(name)["status"]
        status["containerStatuses"][0]["state"] = {"terminated": {"exitCode": code, "reason": "Error"}}
        status["phase"] = "Failed"

    def _apply(self, path: str, body: Any) -> Answer:
        if self.refuses is not None and path.endswith(self.refuses[0]):
            return 403, {"message": self.refuses[1]}
        if body["kind"] == "Job":
            self.let_go.clear()
            body["status"] = {}
            for index in range(body["spec"]["completions"]):
                name = f"{body['metadata']['name']}-{index}"
                labels = {**body["metadata"]["labels"], INDEX_LABEL: str(index)}
                spec = body["spec"]["template"]["spec"]
                place = f"{path.partition('/apis/batch/v1')[2].rpartition('/jobs/')[0]}/pods/{name}"
                self.objects[f"/api/v1{place}"] = self._pod(name, labels, spec)
        self.objects[path] = body
        if body["kind"] == "Pod":
            its = body["metadata"]
            self.objects[path] = self._pod(its["name"], its["labels"], body["spec"])
        return 200, self.objects[path]

    def _pod(self, name: str, labels: Any, spec: Any) -> Any:
        self.count += 1
        waits = self.waiting is not None and name == "application"
        return {
            "metadata": {
                "name": name,
                "uid": str(self.count),
                "labels": labels,
                "creationTimestamp": "2026-11-24T00:00:00Z",
            },
            "spec": {**spec, "nodeName": "one"},
            "status": {
                "podIP": f"10.0.0.{self.count}",
                "conditions": [{"type": "Ready", "status": "False" if waits else "True"}],
                "containerStatuses": [
                    {
                        "image": spec["containers"][0]["image"],
                        "state": self.waiting if waits else {"running": {}},
                    }
                ],
            },
        }

    def _of_pod(self, pod: str, path: str, body: Any) -> Answer:
        if path == "/environment":
            return 200, {"processors": 1}
        if path == "/v1/status":
            if "data" in body:
                self.let_go.add(pod)
                load = next(one for place, one in self.objects.items() if "/jobs/" in place)
                if len(self.let_go) == load["spec"]["completions"]:
                    load["status"] = {"conditions": [{"type": "Complete", "status": "True"}]}
                    self.on_load()
            return 200, {"data": {"attributes": {"status": 4, "paused": pod not in self.let_go}}}
        (probe,) = (one for one in FILES.probes if one.path == path and one.part == "read")
        return probe.status[0], (probe.body or b"").decode()

    def _log(self, pod: str) -> Answer:
        if pod in ("application", "database"):
            return 200, "started\nan ERROR of its own\n"
        text = next(
            one["data"]["params.json"]
            for one in self.objects.values()
            if "params.json" in one.get("data", {})
        )
        params = LoadParams.model_validate_json(text)
        return 200, recorded("closed", phase=params.phase, executor=params.executor) + "\n"

    def fail_the_load(self) -> None:
        load = next(one for place, one in self.objects.items() if "/jobs/" in place)
        load["status"] = {"conditions": [{"type": "Failed", "status": "True"}]}


@pytest.fixture
def cluster() -> Cluster:
    return Cluster()


@pytest.fixture
def stand_in(tmp_path: Path, cluster: Cluster) -> Iterator[StandIn]:
    with StandIn(tmp_path, cluster) as opened:
        yield opened


def plan_of() -> Plan:
    plan = planned("compare", "vertx-pg/*")
    phase = Phase(kind="closed", name="closed", duration_s=2, connections=10)
    scenarios = tuple(one.model_copy(update={"phases": (phase,)}) for one in plan.scenarios)
    return plan.model_copy(update={"scenarios": scenarios})


class Heard(Progress):
    """What was said."""

    def __init__(self) -> None:
        self.said: list[str] = []

    def say(self, text: str) -> None:
        self.said.append(text)


def run(stand_in: StandIn, tmp_path: Path, heard: Progress | None = None) -> Evidence:
    plan = plan_of()
    trial = next(one for one in plan.trials if one.role == "measured")
    subject = CATALOG.subject(SUBJECT)
    job: Any = SimpleNamespace(
        trial=trial,
        scenario=plan.scenario_of(trial),
        subject=subject,
        variant=CATALOG.variant(subject.variant),
        settings=CATALOG.settings_of(subject),
        artifact=SimpleNamespace(folder=tmp_path, build=SimpleNamespace(sha256="a" * 64)),
        image=None,
    )
    trials = ClusterTrials(
        api=stand_in.api(),
        catalog=CATALOG,
        files=FILES,
        pins=PINS,
        passwords=PASSWORDS,
        plan=plan,
        work=tmp_path / "work",
        images="registry.example/plumbline",
        generators=2,
    )
    with trials:
        return trials.run_trial(job, heard or Heard())


def test_a_trial_leaves_what_the_api_shows_and_nothing_made_up(
    stand_in: StandIn, cluster: Cluster, tmp_path: Path
) -> None:
    heard = Heard()
    evidence = run(stand_in, tmp_path, heard)
    assert evidence.failure is None
    (load,) = evidence.load
    one = json.loads(recorded("closed"))
    assert load.requests == 2 * one["requests"] and load.phase == "closed"
    assert heard.said == ["2 generators began within 0 ms"]
    assert {probe.name: probe.problem for probe in evidence.probes}["fruits"] is None
    assert evidence.environment == evidence.environment_after == {"processors": 1}
    assert evidence.logs["app"].errors == 1
    assert (evidence.artifact_sha256, evidence.start, evidence.clock_step_ms) == ("", None, None)
    assert evidence.affinity == evidence.processes == evidence.database == ()
    assert not cluster.objects, "something is left in the cluster"


def test_roles_know_each_other_by_their_addresses(
    stand_in: StandIn, cluster: Cluster, tmp_path: Path
) -> None:
    seen: dict[str, Any] = {}
    cluster.on_load = lambda: seen.update(
        {name: cluster.pod(name) for name in ("database", "application")}
        | {"load": cluster.pod("load-closed-1")}
    )
    assert run(stand_in, tmp_path).failure is None
    named = {
        name: {host["hostnames"][0]: host["ip"] for host in pod["spec"]["hostAliases"]}
        for name, pod in seen.items()
    }
    address = {name: pod["status"]["podIP"] for name, pod in seen.items()}
    assert named["database"] == {} and named["application"] == {"database": address["database"]}
    assert named["load"] == {name: address[name] for name in ("database", "application")}
    assert seen["load"]["metadata"]["labels"][ROLE_LABEL] == "load"


def _kills(name: str) -> Callable[[Cluster], None]:
    def kills(cluster: Cluster) -> None:
        cluster.end(name, 137)
        if name.startswith("load"):
            cluster.fail_the_load()

    return kills


def _deletes(name: str) -> Callable[[Cluster], None]:
    def deletes(cluster: Cluster) -> None:
        cluster.objects = {
            place: one for place, one in cluster.objects.items() if not place.endswith(f"/{name}")
        }
        cluster.fail_the_load()

    return deletes


def _evicts(cluster: Cluster) -> None:
    pod = cluster.pod("load-closed-0")
    pod["status"] |= {"phase": "Failed", "reason": "Evicted", "containerStatuses": []}
    cluster.fail_the_load()


@pytest.mark.parametrize(
    ("happens", "said"),
    [
        (_kills("application"), "The application ended by itself: signal 9 (SIGKILL)."),
        (_kills("database"), "The database ended by itself: signal 9 (SIGKILL)."),
        (
            _kills("load-closed-1"),
            "The generator 2 of 2 (load-closed-1 on one) ended in the phase closed: signal 9 (SIGKILL).",
        ),
        (_evicts, "The generator 1 of 2 (load-closed-0 on one) ended in the phase closed: Evicted."),
        (_deletes("load-closed-0"), "The generator 1 of 2 was deleted in the phase closed."),
        (_deletes("application"), "The application is gone: its pod was deleted."),
    ],
)
def test_what_is_gone_in_mid_load_ends_the_trial_with_its_name(
    stand_in: StandIn, cluster: Cluster, tmp_path: Path, happens: Callable[[Cluster], None], said: str
) -> None:
    cluster.on_load = lambda: happens(cluster)
    failure = run(stand_in, tmp_path).failure
    assert failure is not None and (failure.phase, failure.problem) == ("closed", said)
    assert not cluster.objects


def test_an_image_that_cannot_be_pulled_is_named(stand_in: StandIn, cluster: Cluster, tmp_path: Path) -> None:
    cluster.waiting = {"waiting": {"reason": "ErrImagePull", "message": "not found\nmore"}}
    with pytest.raises(UsageError) as refused:
        run(stand_in, tmp_path)
    image = "registry.example/plumbline/vertx-pg:jvm"
    assert refused.value.problem == f"The image {image} of the application can't be pulled: not found."
    assert not cluster.objects


def test_a_quota_is_told_in_the_clusters_words(stand_in: StandIn, cluster: Cluster, tmp_path: Path) -> None:
    cluster.refuses = ("/pods/database", 'pods "database" is forbidden: exceeded quota: small')
    with pytest.raises(
        UsageError, match='refuses the Pod database: pods "database" is forbidden: exceeded quota'
    ):
        run(stand_in, tmp_path)
    assert not cluster.objects


def test_a_pod_that_no_node_takes_is_told(stand_in: StandIn, cluster: Cluster, tmp_path: Path) -> None:
    cluster.waiting = {"waiting": {"reason": "ContainerCreating"}}
    made = cluster._pod

    def unplaced(name: str, labels: Any, spec: Any) -> Any:
        pod = made(name, labels, spec)
        if name == "application":
            said = "0/1 nodes are available: 1 Insufficient cpu."
            pod["status"]["conditions"].append({"type": "PodScheduled", "status": "False", "message": said})
        return pod

    cluster._pod = unplaced  # type: ignore[method-assign]
    with pytest.raises(
        UsageError, match="No node takes the application: 0/1 nodes are available: 1 Insufficient"
    ):
        run(stand_in, tmp_path)


def test_what_never_gets_ready_ends_the_trial(
    stand_in: StandIn, cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cluster.waiting = {"waiting": {"reason": "ContainerCreating"}}
    monkeypatch.setattr(cluster_trial, "_READY_S", 0.0)
    monkeypatch.setattr(ClusterTrials._until, "__defaults__", (0.0,))
    failure = run(stand_in, tmp_path).failure
    assert failure is not None
    assert (failure.phase, failure.problem) == (
        "start",
        "It took longer than 0 s until application is ready.",
    )


def test_cpus_of_roles_are_counted_and_shared_where_they_do_not_suffice() -> None:
    three = [node("one", "app", "8"), node("two", "db", "4"), node("three", "load", "16")]
    sets = sets_of_nodes(three, 3)
    assert (len(sets.app), len(sets.db), len(sets.load)) == (8, 4, 3)
    assert len({*sets.app, *sets.db, *sets.load, *sets.housekeeping}) == 16
    shared = CpuSets(app=(0,), db=(1,), load=(1,), housekeeping=(1,))
    assert sets_of_nodes([node("one", "app-db-load", "3")], 2) == shared
    one = sets_of_nodes([node("one", "app-db-load", "12")], 2)
    assert (len(one.app), len(one.db), len(one.load)) == (4, 4, 2)
