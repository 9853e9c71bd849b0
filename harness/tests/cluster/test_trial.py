"""A trial in a stand-in for a cluster: what it leaves as evidence, and the sentence when something is gone."""

from __future__ import annotations

import functools
import json
import re
import threading
import time
from collections import Counter
from collections.abc import Callable, Generator
from email.utils import formatdate
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from plumbline.measuring.cluster import api, clocks, namespace
from plumbline.measuring.cluster import trial as cluster_trial
from plumbline.measuring.cluster.names import ROLE_LABEL, dns_label
from plumbline.measuring.cluster.observers import observers_of
from plumbline.measuring.cluster.observing import NodeEvidence
from plumbline.measuring.cluster.trial import INDEX_LABEL, ClusterTrials
from plumbline.measuring.load.params import LoadParams
from plumbline.measuring.run.conditions import why_conditions_unavailable
from plumbline.measuring.run.progress import Progress
from plumbline.model.errors import CannotGoOn, UsageError
from plumbline.model.evidence import Cpuset, Evidence, Series, ThreadUse
from plumbline.model.host import Cpu, HostReading
from plumbline.model.plan import Phase, Plan
from tests.checkout import CATALOG
from tests.cluster.planned import FILES, PASSWORDS, PINS, SESSION, planned
from tests.cluster.stand_in import Answer, StandIn
from tests.load.test_summary import recorded

SUBJECT = "vertx-pg/jvm/pg"
NAMESPACE = dns_label(f"plumbline-{SESSION}")
KINDS = {
    "v1": ("Namespace", "Pod", "Service", "ConfigMap", "Secret"),
    "batch/v1": ("Job",),
    "apps/v1": ("DaemonSet",),
    "networking.k8s.io/v1": ("NetworkPolicy",),
}
CPU = Cpu(number=1, core=1, package=0, node=0, cache=0)
PLURALS = {"NetworkPolicy": "networkpolicies"}


class Cluster:
    """A cluster that keeps each object as applied. Pods are ready at once; a job is complete once it was let go.

    Some requests come at once, and are answered one after another.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.log = "started\nan ERROR of its own\n"
        self.objects: dict[str, Any] = {}
        self.let_go: set[str] = set()
        self.count = 0
        self.on_load: Callable[[], None] = lambda: None
        self.refuses: tuple[str, str] | None = None
        self.waiting: dict[str, Any] | None = None
        self.looks_until_gone: dict[str, int] = {}
        self.looks_until_complete = 0
        self.deleted_without_grace: list[str] = []
        self.overlaps: list[tuple[str, str]] = []
        self.messages: dict[str, str] = {}
        self.nodes: dict[str, str] = {}
        self.ahead_s: dict[str, float] = {}
        self.observed = ["one"]
        self.lost: list[str] = []
        self.asked_observers: list[tuple[str, str, Any]] = []
        self.answers_of_observers: dict[str, int] = {}
        self.outage_message = "etcdserver: no leader"
        self.outage: Callable[[str, str], int | None] = lambda method, path: None

    def __call__(self, method: str, path: str, body: Any) -> Answer:
        with self._lock:
            return self._answer(method, path, body)

    def _answer(self, method: str, path: str, body: Any) -> Answer:
        if (status := self.outage(method, path)) is not None:
            return status, {"kind": "Status", "message": self.outage_message}
        if path == "/version":
            return 200, {"gitVersion": "v1.34.4"}
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
        if match := re.fullmatch(r".*/pods/([\w-]+):(\d+)/proxy(/.*)", path):
            return self._of_pod(match[1], match[3], body)
        if path == "/api/v1/nodes":
            return 200, {"items": [{"metadata": {"name": name}, "status": {}} for name in self.observed]}
        if path == "/api/v1/namespaces":
            assert body == {"labelSelector": "app.kubernetes.io/part-of=plumbline"}
            return 200, {"items": [item for item in self.objects.values() if item.get("kind") == "Namespace"]}
        if path.endswith("/serviceaccounts/default"):
            return 200, {}
        if path.endswith("/log"):
            return self._log(path.split("/")[-2])
        if path.endswith(("/pods", "/jobs")):
            self._look()
            name, _, value = body.get("labelSelector", "").partition("=")
            inside = [item for place, item in self.objects.items() if place.rpartition("/")[0] == path]
            return 200, {"items": [item for item in inside if not name or item["metadata"]["labels"][name] == value]}
        if method == "PATCH":
            return self._apply(path, body)
        if method == "DELETE":
            return self._delete(path, body)
        return (200, self.objects[path]) if path in self.objects else (404, {"message": f"{path} not found"})

    def _delete(self, path: str, query: Any) -> Answer:
        if path.count("/") == 4:
            # All of a namespace goes with it, whatever its group.
            below = path.removeprefix("/api/v1")
            self.objects = {place: item for place, item in self.objects.items() if f"{below}/" not in f"{place}/"}
            return 200, {}
        if path not in self.objects:
            return 404, {"message": f"{path} not found"}
        going = [path]
        if "/jobs/" in path:
            del self.objects[path]
            going = [place for place in self.objects if "/pods/load-" in place]
        for place in going:
            if query.get("gracePeriodSeconds") == "0":
                self.deleted_without_grace.append(place)
            self.objects[place]["metadata"]["deletionTimestamp"] = "2026-11-24T00:00:15Z"
            self.looks_until_gone[place] = 3
        return 200, {}

    def _look(self) -> None:
        """A pod that is deleted ends some looks later, as a process that is told to end does. A job is complete some
        looks after its pods have ended.
        """
        self.looks_until_complete -= 1
        if self.looks_until_complete == 0:
            load = next(item for place, item in self.objects.items() if "/jobs/" in place)
            load["status"] = {"conditions": [{"type": "Complete", "status": "True"}]}
        self.looks_until_gone = {place: left - 1 for place, left in self.looks_until_gone.items() if left > 1}
        for place, item in list(self.objects.items()):
            if "deletionTimestamp" in item["metadata"] and place not in self.looks_until_gone:
                del self.objects[place]

    def pod(self, name: str) -> Any:
        (pod,) = (item for place, item in self.objects.items() if place.endswith(f"/pods/{name}"))
        return pod

    def end(self, name: str, code: int, message: str = "") -> None:
        status = self.pod(name)["status"]
        ended = {"exitCode": code, "reason": "Error" if code else "Completed", "message": message}
        status["containerStatuses"][0]["state"] = {"terminated": ended}
        # A pod that ended well is called so a moment later.
        status["phase"] = "Failed" if code else "Running"

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
        if body["kind"] == "DaemonSet":
            body["status"] = {"desiredNumberScheduled": len(self.observed)}
            template = body["spec"]["template"]
            # The controller does not count a node that was lost, and leaves its pod in the list.
            for node in (*self.observed, *self.lost):
                name = f"observer-{node}"
                self.nodes[name] = node
                self.objects[f"/api/v1/namespaces/{body['metadata']['namespace']}/pods/{name}"] = self._pod(
                    name, template["metadata"]["labels"], template["spec"]
                )
        if body["kind"] == "Pod":
            metadata = body["metadata"]
            self.objects[path] = self._pod(metadata["name"], metadata["labels"], body["spec"])
        return 200, self.objects[path]

    def _pod(self, name: str, labels: Any, spec: Any) -> Any:
        self.count += 1
        self.overlaps += [(name, other) for other in self.looks_until_gone]
        waits = self.waiting is not None and name == "application"
        is_ready = not waits and self.nodes.get(name) not in self.lost
        return {
            "metadata": {
                "name": name,
                "uid": f"00000000-0000-4000-8000-{self.count:012}",
                "labels": labels,
                "creationTimestamp": "2026-11-24T00:00:00Z",
            },
            "spec": {**spec, "nodeName": self.nodes.get(name, "one")},
            "status": {
                "podIP": f"10.0.0.{self.count}",
                "conditions": [{"type": "Ready", "status": str(is_ready)}],
                "containerStatuses": [
                    {
                        "image": spec["containers"][0]["image"],
                        "imageID": f"{spec['containers'][0]['image'].rpartition(':')[0]}@sha256:{'b' * 64}",
                        "state": self.waiting if waits else {"running": {}},
                        "containerID": f"containerd://{self.count:064x}",
                    }
                ],
            },
        }

    def _of_pod(self, pod: str, path: str, body: Any) -> Answer:
        if not any(place.endswith(f"/pods/{pod}") for place in self.objects):
            return 404, {"message": f"pods {pod} not found"}
        if pod.startswith("observer-"):
            return self._of_observer(self.nodes[pod], path, body)
        if path == "/environment":
            return 200, {"processors": 1}
        if path == "/v1/status":
            if "data" in body:
                self.let_go.add(pod)
                load = next(item for place, item in self.objects.items() if "/jobs/" in place)
                if len(self.let_go) == load["spec"]["completions"]:
                    for name in self.let_go:
                        self.end(name, 0, self.messages.get(name, ""))
                    self.looks_until_complete = 3
                    self.on_load()
            return 200, {"data": {"attributes": {"status": 4, "paused": pod not in self.let_go}}}
        (probe,) = (probe for probe in FILES.probes if probe.path == path and probe.part == "read")
        return probe.status[0], (probe.body or b"").decode()

    def _of_observer(self, node: str, path: str, body: Any) -> Answer:
        """Answer as a node's observer. Each node has another CPU time, and a clock that `date` of the stand-in has."""
        if path != "/":
            self.asked_observers.append((node, path, body))
        if (status := self.answers_of_observers.get(path, 200)) != 200:
            return status, {}
        own = self.observed.index(node) + 1
        if path == "/affinity":
            row = {"t_s": 1.0, "role": "app", "pid": own, "command": "java", "threads": 2, "outside": 0}
            return 200, [{**row, "allowed": [own]}]
        if path == "/end":
            columns = {f"cpu.{role}.user_us": (0, own * 1000, own * 2000) for role in ("app", "db", "load")}
            node_evidence = NodeEvidence(
                series=Series(t_s=(0, 1, 2), columns={**columns, "psi.cpu.some_us": (0, 1, 2)}),
                threads=(ThreadUse(phase="closed", name=f"of-{node}", cpu_us=own),),
                cpus={"app": (1, 2, 3), "db": (4, 5), "load": (6, 7)},
                cpusets=(Cpuset(phase="closed", role="app", cpus=(CPU,)),),
                rss_after_bytes=own,
                pss_after_bytes=None,
            )
            return 200, node_evidence.model_dump(mode="json")
        return 200, {}

    def _log(self, pod: str) -> Answer:
        if pod in ("application", "database"):
            return 200, self.log
        # The last that was made is that of the phase in flight.
        *_, text = (
            item["data"]["params.json"] for item in self.objects.values() if "params.json" in item.get("data", {})
        )
        params = LoadParams.model_validate_json(text)
        began_ms = json.loads(recorded("closed"))["started_ms"] + 1000 * self.ahead_s.get(pod, 0)
        return 200, recorded("closed", phase=params.phase, executor=params.executor, started_ms=began_ms) + "\n"

    def fail_the_load(self) -> None:
        """The Job has lost a pod, and so deletes the others."""
        self.looks_until_complete = 0
        load = next(item for place, item in self.objects.items() if "/jobs/" in place)
        load["status"] = {"conditions": [{"type": "Failed", "status": "True"}]}
        for place, item in self.objects.items():
            if "/pods/load-" in place and item["status"].get("phase") != "Failed":
                item["metadata"].setdefault("deletionTimestamp", "2026-11-24T00:01:00Z")
                self.looks_until_gone[place] = 9


@pytest.fixture
def cluster() -> Cluster:
    return Cluster()


@pytest.fixture(autouse=True)
def quick_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    """An API that is silent is asked again at once, and clocks are asked once."""
    monkeypatch.setattr(clocks, "_LASTS_S", 0.0)
    monkeypatch.setattr(api, "_LOOK_S", 0.001)
    monkeypatch.setattr(cluster_trial, "AFFINITY_AFTER_S", 0.0)
    for module in (cluster_trial, namespace):
        monkeypatch.setattr(module, "LOOK_S", 0.001)


CLOSED = Phase(kind="closed", name="closed", duration_s=2, connections=10)


def plan_of(*phases: Phase) -> Plan:
    plan = planned("compare", "vertx-pg/*")
    scenarios = tuple(scenario.model_copy(update={"phases": phases or (CLOSED,)}) for scenario in plan.scenarios)
    return plan.model_copy(update={"scenarios": scenarios})


class Heard(Progress):
    """Progress that remembers every sentence."""

    def __init__(self) -> None:
        self.said: list[str] = []

    def say(self, text: str) -> None:
        self.said.append(text)


def read() -> HostReading:
    """The conditions of a cluster of which nothing is shown."""
    return HostReading(
        read_at="2026-11-24T00:00:00Z",
        uptime_s=None,
        conditions=(),
        frequency_khz={},
        throttled={},
        interrupts={},
    )


def trials_of(stand_in: StandIn, tmp_path: Path, heard: Heard, plan: Plan) -> ClusterTrials:
    return ClusterTrials(
        api=stand_in.api(),
        catalog=CATALOG,
        files=FILES,
        pins=PINS,
        passwords=PASSWORDS,
        plan=plan,
        work=tmp_path / "work",
        images="registry.example/plumbline",
        say=heard.say,
        read=read,
        generators=2,
        nodes={"app": "one", "db": "two"},
    )


def run(stand_in: StandIn, tmp_path: Path, heard: Heard | None = None, *phases: Phase) -> Evidence:
    (evidence,) = run_several(stand_in, tmp_path, 1, heard, *phases)
    return evidence


def run_several(
    stand_in: StandIn, tmp_path: Path, count: int, heard: Heard | None = None, *phases: Phase
) -> Generator[Evidence, None, None]:
    """Run the same trial `count` times in one session; `heard` gets the sentences about the session as well.

    A test that does not take all trials closes the generator: else the session ends in the middle of another test, and
    waits there for an API that is gone.
    """
    plan = plan_of(*phases)
    trial = next(trial for trial in plan.trials if trial.role == "measured")
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
    heard = heard or Heard()
    with trials_of(stand_in, tmp_path, heard, plan) as trials:
        for _ in range(count):
            yield trials.run_trial(job, heard)


def test_a_trial_leaves_what_the_api_shows_and_nothing_made_up(
    stand_in: StandIn, cluster: Cluster, tmp_path: Path
) -> None:
    heard = Heard()
    evidence = run(stand_in, tmp_path, heard)
    assert evidence.failure is None
    (load,) = evidence.load
    summary = json.loads(recorded("closed"))
    assert load.requests == 2 * summary["requests"] and load.phase == "closed"
    observed, begun, apart = heard.said
    assert observed == "observed by their control groups and /proc: pods on one"
    clock = r"one -?[\d.]+ ± [\d.]+ ms"
    assert re.fullmatch(rf"observers begin; their clocks are ahead of this host's by {clock}", begun)
    assert re.fullmatch(r"2 generators began within 0 ms; clocks ahead of this host's: one -?[\d.]+ ± [\d.]+ ms", apart)
    assert load.began_ms == (0, 0) and load.began_unsure_ms == 0
    assert {probe.name: probe.problem for probe in evidence.probes}["fruits"] is None
    assert evidence.environment == evidence.environment_after == {"processors": 1}
    assert evidence.logs["app"].errors == 1
    assert evidence.images == {
        "database": f"docker.io/library/postgres@sha256:{'b' * 64}",
        "application": f"registry.example/plumbline/vertx-pg-jvm-pg@sha256:{'b' * 64}",
    }
    assert (evidence.artifact_sha256, evidence.start, evidence.clock_step_ms) == ("", None, None)
    assert (evidence.processes, evidence.database) == ((), ())
    assert not cluster.objects, "something is left in the cluster"


def test_a_cluster_that_has_fewer_cpus_than_a_subject_asks_for_says_so(stand_in: StandIn, tmp_path: Path) -> None:
    trials = trials_of(stand_in, tmp_path, Heard(), plan_of())
    assert why_conditions_unavailable(trials, {"cpus": "3"}) is None
    problem = why_conditions_unavailable(trials, {"cpus": "4"})
    assert problem is not None and "has 3 of this host's CPUs, and cpus=4 asks for more" in problem


def test_errors_in_the_log_of_a_warm_up_are_counted_apart(stand_in: StandIn, cluster: Cluster, tmp_path: Path) -> None:
    lines = ["an ERROR of the warm-up\n", "an ERROR under load\n"]
    cluster.on_load = lambda: setattr(cluster, "log", cluster.log + lines.pop(0))
    warm_up = Phase(kind="warm-up", name="warm-up", duration_s=2, connections=10)
    evidence = run(stand_in, tmp_path, None, warm_up, CLOSED)
    assert evidence.failure is None
    assert (evidence.logs["app"].errors, evidence.logs["app"].while_warming) == (3, 1)


def test_a_trial_has_what_its_observer_sees(stand_in: StandIn, cluster: Cluster, tmp_path: Path) -> None:
    began_s = time.time()
    evidence = run(stand_in, tmp_path)
    assert evidence.series.t_s == (0, 1, 2)
    assert evidence.series.columns == {
        **{f"cpu.{role}.user_us": (0, 1000, 2000) for role in ("app", "db", "load")},
        "psi.cpu.some_us": (0, 1, 2),
    }
    assert [(use.name, use.cpu_us) for use in evidence.threads] == [("of-one", 1)]
    assert [(row.role, row.allowed) for row in evidence.affinity] == [("app", (1,))]
    assert evidence.cpusets == {"one": (Cpuset(phase="closed", role="app", cpus=(CPU,)),)}
    assert (evidence.rss_after_bytes, evidence.pss_after_bytes) == (1, None)
    asked = [(path, body) for _, path, body in cluster.asked_observers]
    assert [path for path, _ in asked] == ["/begin", "/aim", "/affinity", "/end"]
    begun, aimed = asked[0][1], asked[1][1]
    assert began_s - 1 < begun["zero_s"] < time.time() + 1
    assert {role: len(containers) for role, containers in begun["containers"].items()} == {"db": 1, "app": 1}
    assert {role: len(containers) for role, containers in aimed.items()} == {"load": 2}
    watched = [container for containers in (*begun["containers"].values(), *aimed.values()) for container in containers]
    assert len({(container["pod"], container["container"], container["address"]) for container in watched}) == 4
    assert [window["phase"] for window in asked[-1][1]] == ["closed"]


def test_observers_are_those_of_a_session_with_a_token_of_its_own(
    stand_in: StandIn, cluster: Cluster, tmp_path: Path
) -> None:
    tokens = []
    for _ in range(2):
        trials = run_several(stand_in, tmp_path, 2)
        next(trials)
        place = f"/api/v1/namespaces/{observers_of(NAMESPACE)}"
        uid = cluster.objects[f"{place}/pods/observer-one"]["metadata"]["uid"]
        tokens.append(cluster.objects[f"{place}/secrets/observer"]["stringData"]["token"])
        next(trials)
        # Both trials have the same observer.
        assert cluster.objects[f"{place}/pods/observer-one"]["metadata"]["uid"] == uid
        trials.close()
        assert not cluster.objects
    assert len(set(tokens)) == 2 and min(map(len, tokens)) >= 32
    assert {stand_in.tokens[path] for path in stand_in.tokens if path.endswith("/begin")} == {tokens[1]}


def test_a_trial_that_ends_before_it_is_observed_has_no_evidence_of_the_trial_before(
    stand_in: StandIn, cluster: Cluster, tmp_path: Path
) -> None:
    statuses: list[int | None] = []
    cluster.outage = lambda *asked: statuses.pop(0) if statuses else None
    # This request is refused for good.
    cluster.on_load = lambda: statuses.extend((403, None, 403))
    trials = run_several(stand_in, tmp_path, 2)
    failure = next(trials).failure
    assert failure is not None and "refused in the trial" in failure.problem
    make_pod = cluster._pod

    def ended(name: str, labels: Any, spec: Any) -> Any:
        pod = make_pod(name, labels, spec)
        if name == "application":
            pod["status"]["containerStatuses"][0]["state"] = {"terminated": {"exitCode": 1}}
        return pod

    cluster._pod = ended  # type: ignore[method-assign]
    evidence = next(trials)
    trials.close()
    assert evidence.failure is not None and "ended before it was ready" in evidence.failure.problem
    assert evidence.series == Series() and evidence.rss_after_bytes is None


def test_an_observer_that_was_evicted_is_found_again_for_the_next_trial(
    stand_in: StandIn, cluster: Cluster, tmp_path: Path
) -> None:
    heard = Heard()
    trials = run_several(stand_in, tmp_path, 4, heard)
    assert next(trials).series != Series()
    place = f"/api/v1/namespaces/{observers_of(NAMESPACE)}/pods/observer-one"
    evicted = cluster.objects.pop(place)
    cluster.objects[f"{place}-anew"] = {**evicted, "metadata": {**evicted["metadata"], "name": "observer-one-anew"}}
    cluster.nodes["observer-one-anew"] = "one"
    assert next(trials).series.t_s == (0, 1, 2)
    # The observer is not back yet.
    del cluster.objects[f"{place}-anew"]
    evidence = next(trials)
    assert evidence.failure is None and evidence.series == Series()
    assert "the observer of one does not see this trial: its pod is gone or not ready" in heard.said
    assert next(trials).series.t_s == (0, 1, 2)
    trials.close()


def test_every_trial_is_on_the_nodes_of_its_session(stand_in: StandIn, cluster: Cluster, tmp_path: Path) -> None:
    pods: dict[str, Any] = {}
    cluster.on_load = lambda: pods.update(
        {name: cluster.pod(name) for name in ("database", "application", "load-closed-1")}
    )
    assert run(stand_in, tmp_path).failure is None
    names: dict[str, Any] = {}
    for name, pod in pods.items():
        rule = pod["spec"]["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
        (term,) = rule["nodeSelectorTerms"]
        names[name] = [field["values"] for field in term.get("matchFields", ())]
    assert names == {"database": [["two"]], "application": [["one"]], "load-closed-1": []}


def test_an_observer_of_another_node_has_its_own_clock(stand_in: StandIn, cluster: Cluster, tmp_path: Path) -> None:
    cluster.observed, cluster.nodes = ["one", "two"], {"database": "two"}

    def date(path: str) -> str:
        return formatdate(time.time() + (3600 if "observer-two" in path else 0), usegmt=True)

    stand_in.date = date
    evidence = run(stand_in, tmp_path)
    zeros = {node: body["zero_s"] for node, path, body in cluster.asked_observers if path == "/begin"}
    assert 3598 < zeros["two"] - zeros["one"] < 3602
    columns = evidence.series.columns
    assert columns["cpu.app.user_us"] == columns["cpu.load.user_us"] == (0, 1000, 2000)
    assert columns["cpu.db.user_us"] == (0, 2000, 4000)
    # This column is of a whole node, and there are two nodes.
    assert "psi.cpu.some_us" not in columns
    assert [row.allowed for row in evidence.affinity] == [(1,), (2,)]


def test_a_node_that_is_lost_while_observers_start_is_not_waited_for(
    stand_in: StandIn, cluster: Cluster, tmp_path: Path
) -> None:
    cluster.lost = ["two"]
    heard = Heard()
    assert run(stand_in, tmp_path, heard).series.columns["cpu.app.user_us"] == (0, 1000, 2000)
    assert "observed by their control groups and /proc: pods on one" in heard.said


def test_a_cluster_that_forbids_observers_is_measured_without_them(
    stand_in: StandIn, cluster: Cluster, tmp_path: Path
) -> None:
    cluster.refuses = ("/daemonsets/observer", "daemonsets.apps is forbidden: no such right.")
    heard = Heard()
    for evidence in run_several(stand_in, tmp_path, 2, heard):
        assert evidence.failure is None and len(evidence.load) == 1
        assert (evidence.series, evidence.threads, evidence.affinity) == (Series(), (), ())
        # No object of observers is left that would make pods in the middle of a trial.
        assert not [place for place in cluster.objects if "observer" in place]
    sentence = (
        "no observers, so that CPU time and memory stay unknown: "
        "The cluster refuses the DaemonSet observer: daemonsets.apps is forbidden: no such right"
    )
    assert heard.said.count(sentence) == 1 and len(heard.said) == 3
    assert not cluster.objects


def test_an_observer_of_another_version_is_told_and_the_trial_goes_on(
    stand_in: StandIn, cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "_of_observer", lambda node, path, body: (200, {"rows": []}))
    heard = Heard()
    evidence = run(stand_in, tmp_path, heard)
    assert evidence.failure is None and evidence.series == Series() and evidence.affinity == ()
    sentence = "the observer of one does not see this trial: it answers as another version of the harness"
    assert [text.startswith(sentence) for text in heard.said].count(True) == 1


@pytest.mark.parametrize(
    ("question", "status", "said"),
    [
        ("/begin", 502, "it answered begin with 502"),
        ("/aim", 403, "it answered aim with 403"),
        ("/end", 409, "it answered end with 409"),
    ],
)
def test_an_observer_that_is_lost_is_told_and_the_trial_goes_on(
    stand_in: StandIn, cluster: Cluster, tmp_path: Path, question: str, status: int, said: str
) -> None:
    cluster.answers_of_observers = {question: status}
    heard = Heard()
    evidence = run(stand_in, tmp_path, heard)
    assert evidence.failure is None and len(evidence.load) == 1
    assert evidence.series == Series() and evidence.rss_after_bytes is None
    assert f"the observer of one does not see this trial: {said}" in heard.said


def test_what_clocks_of_nodes_differ_by_is_no_part_of_when_generators_began(
    stand_in: StandIn, cluster: Cluster, tmp_path: Path
) -> None:
    late = "load-closed-1"
    cluster.nodes, cluster.ahead_s = {late: "two"}, {late: 3600.0}

    def date(path: str) -> str:
        return formatdate(time.time() + (3600 if late in path else 0), usegmt=True)

    stand_in.date = date
    heard = Heard()
    (load,) = run(stand_in, tmp_path, heard).load
    # Both generators began at one moment, and the hour between the clocks is not taken for lateness.
    assert max(load.began_ms) <= load.began_unsure_ms < 1e6
    sentence = heard.said[-1]
    assert re.search(r"two 3[56]\d{5}\.", sentence) and f"± {load.began_unsure_ms:.1f} ms" in sentence


def test_a_generator_that_does_not_tell_its_clock_ends_the_trial(stand_in: StandIn, tmp_path: Path) -> None:
    stand_in.date = lambda path: "today"
    failure = run(stand_in, tmp_path).failure
    assert failure is not None and failure.phase == "closed"
    assert failure.problem.startswith("The clocks of the generators' nodes can't be compared with this host's: ")


def test_clocks_are_compared_once_generators_answer(stand_in: StandIn, cluster: Cluster, tmp_path: Path) -> None:
    asked = Counter[str]()

    def outage(method: str, path: str) -> int | None:
        if method != "GET" or not path.endswith("/v1/status"):
            return None
        asked[path] += 1
        return 503 if asked[path] <= 3 else None

    def date(path: str) -> str:
        # Where a generator does not answer yet the API itself does, by a clock of its own.
        is_of_api = path.endswith("/v1/status") and asked[path] <= 3
        return formatdate(time.time() + (3600 if is_of_api else 0), usegmt=True)

    cluster.outage, stand_in.date = outage, date
    cluster.outage_message = "error trying to reach service: dial tcp 10.0.0.3:6565: connect: connection refused"
    heard = Heard()
    assert run(stand_in, tmp_path, heard).failure is None
    assert re.search(r"clocks ahead of this host's: one -?\d{1,4}\.", heard.said[-1])


def test_only_answers_of_the_pod_itself_are_its_clock(tmp_path: Path) -> None:
    statuses = [503, 200]

    def answer(method: str, path: str, body: Any) -> Answer:
        return (statuses.pop(0) if len(statuses) > 1 else statuses[0]), {}

    with StandIn(tmp_path, answer) as stand_in:
        stand_in.date = lambda path: formatdate(time.time() + (3600 if len(stand_in.asked) == 1 else 0), usegmt=True)
        own = namespace.Namespace(stand_in.api(), "x")
        assert abs(own.compare_clock("a-pod", 1, "/").middle_s) < 60
        statuses[:] = [503]
        with pytest.raises(ValueError, match="a-pod answers with the status 503"):
            own.compare_clock("a-pod", 1, "/")


def test_roles_know_each_other_by_their_addresses(stand_in: StandIn, cluster: Cluster, tmp_path: Path) -> None:
    pods: dict[str, Any] = {}
    cluster.on_load = lambda: pods.update(
        {name: cluster.pod(name) for name in ("database", "application")} | {"load": cluster.pod("load-closed-1")}
    )
    assert run(stand_in, tmp_path).failure is None
    hosts = {
        name: {host["hostnames"][0]: host["ip"] for host in pod["spec"]["hostAliases"]} for name, pod in pods.items()
    }
    address = {name: pod["status"]["podIP"] for name, pod in pods.items()}
    assert hosts["database"] == {} and hosts["application"] == {"database": address["database"]}
    assert hosts["load"] == {name: address[name] for name in ("database", "application")}
    assert pods["load"]["metadata"]["labels"][ROLE_LABEL] == "load"


def test_pods_end_by_themselves_and_before_those_of_the_next_trial_begin(
    stand_in: StandIn, cluster: Cluster, tmp_path: Path
) -> None:
    for evidence in run_several(stand_in, tmp_path, 2):
        assert evidence.failure is None
    assert cluster.deleted_without_grace == [] == cluster.overlaps
    assert ("DELETE", f"/api/v1/namespaces/{NAMESPACE}/pods/application") in stand_in.asked


@pytest.mark.parametrize(
    ("outages", "answered"),
    [
        ([(429, "Too many requests, please try again later.\n")], (200, "of the pod")),
        ([(504, '{"kind": "Status", "message": "timed out"}')], (200, "of the pod")),
        ([(403, '{"kind": "Status"}'), (403, '{"kind": "Status"}')], (200, "of the pod")),
        ([(503, "of the pod")], (503, "of the pod")),
        ([(429, '{"kind": "fruit"}')], (429, '{"kind": "fruit"}')),
    ],
)
def test_an_outage_of_the_api_is_no_answer_of_a_pod(tmp_path: Path, outages: list[Answer], answered: Answer) -> None:
    left = list(outages)
    with StandIn(tmp_path, lambda *asked: left.pop(0) if left else (200, "of the pod")) as stand_in:
        cluster_api = stand_in.api()
        cluster_api.patience_s = 60.0
        response = cluster_api.ask("GET", "/", None, {})
    assert (response.status, response.data.decode()) == answered


def test_a_pod_that_may_not_be_asked_answers_so(tmp_path: Path) -> None:
    def answer(method: str, path: str, body: Any) -> Answer:
        return (200, {}) if path == "/version" else (403, {"kind": "Status"})

    with StandIn(tmp_path, answer) as stand_in:
        cluster_api = stand_in.api()
        cluster_api.patience_s = 60.0
        assert cluster_api.ask("GET", "/a-pod", None, {}).status == 403


def test_two_sessions_in_one_cluster_are_refused(stand_in: StandIn, cluster: Cluster, tmp_path: Path) -> None:
    trials = run_several(stand_in, tmp_path, 1)
    assert next(trials).failure is None
    places = {place for place, item in cluster.objects.items() if item.get("kind") == "Namespace"}
    assert len(places) == 2
    for name in ("plumbline-other", "plumbline-other-observers"):
        cluster.objects[f"/api/v1/namespaces/{name}"] = {"kind": "Namespace", "metadata": {"name": name}}
    before = dict(cluster.objects)
    pattern = r"or was killed in it: the namespaces plumbline-other, plumbline-other-observers\."
    with pytest.raises(UsageError, match=pattern) as refused:
        run(stand_in, tmp_path)
    assert "kubectl delete namespace plumbline-other plumbline-other-observers" in refused.value.next_step
    assert cluster.objects == before and places <= set(before)
    trials.close()


def test_errors_of_k6_are_those_that_its_container_ended_with(
    stand_in: StandIn, cluster: Cluster, tmp_path: Path
) -> None:
    cluster.messages = {"load-closed-1": "level=error one\nan ERROR of two\n"}
    evidence = run(stand_in, tmp_path)
    (load,) = evidence.load
    assert load.messages == ("level=error one", "an ERROR of two")
    assert (evidence.logs["k6-closed.0"].lines, evidence.logs["k6-closed.1"].lines) == (0, 2)


def _kills(name: str, code: int = 137, message: str = "") -> Callable[[Cluster], None]:
    def kills(cluster: Cluster) -> None:
        cluster.end(name, code, message)
        if name.startswith("load"):
            cluster.fail_the_load()

    return kills


def _deletes(name: str) -> Callable[[Cluster], None]:
    def deletes(cluster: Cluster) -> None:
        cluster.objects = {place: item for place, item in cluster.objects.items() if not place.endswith(f"/{name}")}
        cluster.fail_the_load()

    return deletes


def _evicts(cluster: Cluster) -> None:
    pod = cluster.pod("load-closed-0")
    pod["status"] |= {"phase": "Failed", "reason": "Evicted", "containerStatuses": []}
    cluster.fail_the_load()


def _is_taken_away(name: str, second: int) -> Callable[[Cluster], None]:
    """Somebody deletes a generator, and in the second 60 the Job deletes the others."""

    def takes(cluster: Cluster) -> None:
        metadata = cluster.pod(name)["metadata"]
        metadata["deletionTimestamp"] = f"2026-11-24T00:{second // 60:02}:{second % 60:02}Z"
        cluster.fail_the_load()

    return takes


@pytest.mark.parametrize(
    ("happens", "said"),
    [
        (_kills("application"), "The application ended by itself: signal 9 (SIGKILL)."),
        (_kills("database"), "The database ended by itself: signal 9 (SIGKILL)."),
        (
            _kills("load-closed-1"),
            "The generator 2 of 2 (load-closed-1 on one) ended in the phase closed: signal 9 (SIGKILL).",
        ),
        (
            _kills("load-closed-1", 107, "TypeError: no such function\nat lib.ts"),
            "The generator 2 of 2 (load-closed-1 on one) ended in the phase closed: exit status 107."
            " TypeError: no such function",
        ),
        (_evicts, "The generator 1 of 2 (load-closed-0 on one) ended in the phase closed: Evicted."),
        (_deletes("load-closed-0"), "The generator 1 of 2 was deleted in the phase closed."),
        (_is_taken_away("load-closed-1", 59), "The generator 2 of 2 was deleted in the phase closed."),
        (
            _is_taken_away("load-closed-1", 60),
            "One of the generators 1, 2 of 2 was deleted in the phase closed.",
        ),
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


def _each_first_time(status: int) -> Callable[[str, str], int | None]:
    """An outage in which each request fails the first time."""
    asked: set[tuple[str, str]] = set()

    def outage(method: str, path: str) -> int | None:
        if (method, path) in asked:
            return None
        asked.add((method, path))
        return status

    return outage


@pytest.mark.parametrize("status", [0, 429, 500, 503])
def test_a_trial_outlives_an_api_that_is_silent_for_a_while(
    stand_in: StandIn, cluster: Cluster, tmp_path: Path, status: int
) -> None:
    cluster.outage = _each_first_time(status)
    assert run(stand_in, tmp_path).failure is None
    assert not cluster.objects


def test_an_object_that_the_api_cannot_read_is_refused_at_once(tmp_path: Path) -> None:
    message = "failed to create typed patch object (x/one; /v1, Kind=Pod): .spec.imagee: field not declared in schema"
    pods = {"resources": [{"kind": "Pod", "name": "pods", "namespaced": True}]}

    def answer(method: str, path: str, body: Any) -> Answer:
        return (500, {"message": message}) if method == "PATCH" else (200, pods)

    with StandIn(tmp_path, answer) as stand_in:
        cluster_api = stand_in.api()
        cluster_api.patience_s = 60.0
        with pytest.raises(api.ApiRefused, match="imagee: field not declared in schema"):
            cluster_api.apply({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "one"}, "spec": {"imagee": "x"}})
    assert [method for method, _ in stand_in.asked] == ["GET", "PATCH"]


def test_an_api_that_has_just_been_started_knows_no_rights_yet(
    stand_in: StandIn, cluster: Cluster, tmp_path: Path
) -> None:
    statuses: list[int | None] = []
    cluster.outage = lambda *asked: statuses.pop(0) if statuses else None
    # Refused are the request, with or without a silence before it, and then the look whether anybody is answered.
    for answers in ([503, 403, 403], [403, 403]):
        cluster.on_load = functools.partial(statuses.extend, answers)
        assert run(stand_in, tmp_path).failure is None and statuses == []
    # Other requests are answered, and this one is refused again: the user has no right to it.
    cluster.on_load = lambda: statuses.extend((403, None, 403))
    failure = run(stand_in, tmp_path).failure
    assert failure is not None
    assert failure.problem == "The cluster's API refused in the trial: etcdserver: no leader."


@pytest.mark.parametrize(
    ("status", "in_trial", "before_the_next"),
    [(503, "was silent for 0 s", "been silent for 0 s"), (403, "refused", "refused this user")],
)
def test_an_api_that_stays_away_ends_its_trial_and_then_the_session_which_can_go_on(
    stand_in: StandIn,
    cluster: Cluster,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    status: int,
    in_trial: str,
    before_the_next: str,
) -> None:
    monkeypatch.setattr(cluster_trial, "_SILENT_S", 0.2)
    heard = Heard()
    asked: list[str] = []

    def outage(method: str, path: str) -> int:
        asked.append(path)
        return status

    cluster.on_load = lambda: setattr(cluster, "outage", outage)
    trials = run_several(stand_in, tmp_path, 2, heard)
    failure = next(trials).failure
    # The trial does not wait a second time: each request that tidies up is made once.
    assert [sum(path.endswith(end) for path in asked) for end in ("/log", "/jobs")] == [1, 1]
    assert failure is not None
    assert (failure.phase, failure.problem) == (
        "closed",
        f"The cluster's API {in_trial} in the trial: etcdserver: no leader.",
    )
    with pytest.raises(CannotGoOn, match=rf"has {before_the_next}: etcdserver: no leader\.") as ended:
        next(trials)
    assert "--resume" in ended.value.next_step
    assert f"kubectl delete namespace {NAMESPACE}" in heard.said[-1]


def test_pods_that_never_end_fail_their_trial_and_are_told_at_the_end(
    stand_in: StandIn, cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(namespace, "_GONE_S", 0.05)
    # Their kubelet is gone, so that no pod that is deleted ever ends.
    monkeypatch.setattr(cluster, "_delete", lambda path, query: (200, {}))
    heard = Heard()
    trials = run_several(stand_in, tmp_path, 2, heard)
    failure = next(trials).failure
    assert failure is not None
    assert (failure.phase, failure.problem) == (
        "closed",
        "It took longer than 0 s until the generators are gone.",
    )
    failure = next(trials).failure
    assert failure is not None
    assert (failure.phase, failure.problem) == (
        "restore",
        "It took longer than 0 s until all pods are gone.",
    )
    trials.close()
    assert f"kubectl delete namespace {NAMESPACE}" in heard.said[-1]


@pytest.mark.slow
def test_generators_that_never_end_fail_their_trial(
    stand_in: StandIn, cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for limit in ("TIMEOUT_S", "SLACK_S", "_SILENT_S"):
        monkeypatch.setattr(cluster_trial, limit, 0.0)
    cluster.on_load = lambda: setattr(cluster, "looks_until_complete", 0)
    failure = run(stand_in, tmp_path).failure
    assert failure is not None
    assert (failure.phase, failure.problem) == (
        "closed",
        "The generators did not end in time in the phase closed.",
    )
    assert not cluster.objects


def test_an_image_that_cannot_be_pulled_is_named(stand_in: StandIn, cluster: Cluster, tmp_path: Path) -> None:
    cluster.waiting = {"waiting": {"reason": "ErrImagePull", "message": "not found\nmore"}}
    with pytest.raises(UsageError) as refused:
        run(stand_in, tmp_path)
    image = "registry.example/plumbline/vertx-pg-jvm-pg:latest"
    assert refused.value.problem == f"The image {image} of the application can't be pulled: not found."
    assert not cluster.objects


def test_a_registry_may_be_away_for_a_moment(stand_in: StandIn, cluster: Cluster, tmp_path: Path) -> None:
    cluster.waiting = {"waiting": {"reason": "ErrImagePull", "message": "connection reset"}}
    looks = 0

    def pull(method: str, path: str) -> None:
        nonlocal looks
        if method == "GET" and path.endswith("/pods/application"):
            looks += 1
            status = cluster.pod("application")["status"]
            cluster.pod("application")["metadata"]["creationTimestamp"] = time.strftime(
                "%Y-%m-%dT%H:%M:%SZ", time.gmtime()
            )
            if looks == 3:
                status["conditions"] = [{"type": "Ready", "status": "True"}]
                status["containerStatuses"][0]["state"] = {"running": {}}

    cluster.outage = pull
    assert run(stand_in, tmp_path).failure is None and looks == 3


def test_an_image_that_was_pulled_before_and_is_gone_fails_its_trial_alone(
    stand_in: StandIn, cluster: Cluster, tmp_path: Path
) -> None:
    trials = run_several(stand_in, tmp_path, 3)
    assert next(trials).failure is None
    cluster.waiting = {"waiting": {"reason": "ErrImagePull", "message": "no such host"}}
    failure = next(trials).failure
    assert failure is not None and failure.phase == "start"
    assert failure.problem.endswith("of the application can't be pulled: no such host.")
    cluster.waiting = None
    assert next(trials).failure is None
    trials.close()


def test_a_quota_is_told_in_the_clusters_words(stand_in: StandIn, cluster: Cluster, tmp_path: Path) -> None:
    cluster.refuses = ("/pods/database", 'pods "database" is forbidden: exceeded quota: small')
    with pytest.raises(UsageError, match='refuses the Pod database: pods "database" is forbidden: exceeded quota'):
        run(stand_in, tmp_path)
    assert not cluster.objects


def test_a_pod_that_no_node_takes_is_told(stand_in: StandIn, cluster: Cluster, tmp_path: Path) -> None:
    cluster.waiting = {"waiting": {"reason": "ContainerCreating"}}
    make_pod = cluster._pod

    def unplaced(name: str, labels: Any, spec: Any) -> Any:
        pod = make_pod(name, labels, spec)
        if name == "application":
            message = "0/1 nodes are available: 1 Insufficient cpu."
            pod["status"]["conditions"].append({"type": "PodScheduled", "status": "False", "message": message})
        return pod

    cluster._pod = unplaced  # type: ignore[method-assign]
    with pytest.raises(UsageError, match="No node takes the application: 0/1 nodes are available: 1 Insufficient"):
        run(stand_in, tmp_path)


def test_a_pod_that_its_kubelet_refuses_is_told_as_one_that_no_node_takes(
    stand_in: StandIn, cluster: Cluster, tmp_path: Path
) -> None:
    make_pod = cluster._pod

    def refused(name: str, labels: Any, spec: Any) -> Any:
        pod = make_pod(name, labels, spec)
        if name == "application":
            message = "Pod was rejected: Node didn't have enough resource: cpu"
            pod["status"] = {"phase": "Failed", "reason": "OutOfcpu", "message": message}
        return pod

    cluster._pod = refused  # type: ignore[method-assign]
    with pytest.raises(UsageError, match="No node takes the application: Pod was rejected: Node didn't have enough"):
        run(stand_in, tmp_path)


def test_what_never_gets_ready_ends_the_trial(
    stand_in: StandIn, cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cluster.waiting = {"waiting": {"reason": "ContainerCreating"}}
    monkeypatch.setattr(namespace.Namespace.until, "__defaults__", (0.0,))
    failure = run(stand_in, tmp_path).failure
    assert failure is not None
    assert (failure.phase, failure.problem) == (
        "start",
        "It took longer than 0 s until application is ready.",
    )
