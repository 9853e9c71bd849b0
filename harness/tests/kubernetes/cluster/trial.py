"""A trial in the cluster: the objects that are made of its plan, with images of what this machine has.

An application of the tests stands in for the plan's, under the name of its image. The one small node has no names of
pods, so that generators are told the application's address, and it has no CPUs of their own for them.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import urllib3

from plumbline.machine.host.paths import Paths
from plumbline.machine.tools.jdk import find_jdk
from plumbline.machine.tools.k6 import get_k6
from plumbline.machine.tools.postgres import get_postgres
from plumbline.machine.tools.toolbox import Toolbox
from plumbline.measuring.cluster import database
from plumbline.measuring.cluster.application import NAME, PORT
from plumbline.measuring.cluster.images import ClusterImages, images_of
from plumbline.measuring.cluster.load_request import LoadKind, load_request
from plumbline.measuring.cluster.names import REST_PORT
from plumbline.measuring.cluster.objects import cluster_objects, namespace_of
from plumbline.measuring.cluster.pod import Object
from plumbline.measuring.load.params import LoadParams
from plumbline.measuring.load.segments import start_all
from plumbline.measuring.load.summary import LoadOutcome, parse
from plumbline.model.host import CpuSets
from plumbline.model.java import JAVA
from plumbline.model.plan import Phase, Plan
from plumbline.subjects.plan.make import Selection, make_plan
from tests.checkout import CATALOG
from tests.cluster.planned import FILES, PASSWORDS, PINS
from tests.judge.planned import host
from .cluster import Cluster
from .parts import ROOT, own_programs
from .programs_of_host import java_files, postgres_files
from .waiting import until

GENERATORS = 2
INDEX_LABEL = "batch.kubernetes.io/job-completion-index"
# One CPU for the application, one for the database, and one for each generator, beside the reserved CPU.
_HAS_CPUS_FOR_ALL = (os.cpu_count() or 1) >= 3 + GENERATORS
_SETS = CpuSets(app=(1,), db=(0,), load=(0,), housekeeping=(0,))


GREETINGS = Selection(suite="seed-003", only=("micronaut-hello/jvm/none",), scenarios=("hello",), blocks=1, seed=1)
FRUITS = Selection(suite="compare", only=("vertx-pg/jvm/pg",), scenarios=("fruits",), blocks=1, seed=1)


def plan_of(chosen: Selection, session: str, seconds: float, rate_per_s: int) -> Plan:
    """The plan of a session of the chosen subjects, with an open phase of `seconds` seconds."""
    plan = make_plan(CATALOG, chosen, host(), _SETS, "taskset", session=session)
    phase = Phase(kind="open", name=f"open@{rate_per_s}", duration_s=seconds, rate_per_s=rate_per_s)
    scenarios = tuple(scenario.model_copy(update={"phases": (*scenario.phases, phase)}) for scenario in plan.scenarios)
    return plan.model_copy(update={"scenarios": scenarios})


def load_images(cluster: Cluster) -> None:
    """Give the node what the objects of greetings name."""
    images = _images(GREETINGS)
    cluster.node.load(images.application, {str(JAVA): own_programs() / "serve"})
    cluster.node.load(images.load, {"/usr/bin/k6": get_k6(box()).program})


def image_of_load() -> str:
    """The name of the image that generators run."""
    return _images(GREETINGS).load


def load_real_images(cluster: Cluster, folder: Path) -> None:
    """Give the node what the objects of fruits name: the variant as it is built here, and its database."""
    images = _images(FRUITS)
    cluster.node.load(images.application, java_files(home_of_java(), FRUITS.only[0], folder))
    cluster.node.load(images.database, postgres_files(get_postgres(box()), folder))


def _images(chosen: Selection) -> ClusterImages:
    return images_of(load_request(plan_of(chosen, "images", 1, 1), CATALOG).subject, PINS)


def home_of_java() -> Path:
    """The JDK of this host."""
    return find_jdk(os.environ).home


def box() -> Toolbox:
    """The toolbox that finds and fetches programs."""
    return Toolbox.of(Paths.of(os.environ, ROOT, os.geteuid()), os.environ, print)


@dataclass(frozen=True)
class ClusterTrial:
    """A trial whose namespace is there. Nothing of it runs before it is asked for."""

    cluster: Cluster
    plan: Plan
    load: LoadKind = "job"

    @cached_property
    def _objects(self) -> list[Object]:
        asked = load_request(self.plan, CATALOG, generators=GENERATORS, load=self.load)
        return cluster_objects(asked, CATALOG, FILES, images_of(asked.subject, PINS), PASSWORDS)

    def _object(self, kind: str, name: str = "") -> Object:
        (wanted,) = (item for item in self._objects if item["kind"] == kind and name in ("", item["metadata"]["name"]))
        return wanted

    @cached_property
    def _http(self) -> urllib3.PoolManager:
        # Pods of the next cluster have the same addresses, and would reset what was opened to these.
        return urllib3.PoolManager(retries=False)

    @property
    def namespace(self) -> str:
        """The name of the namespace that has all objects of the trial."""
        return namespace_of(self.plan)

    @property
    def frame(self) -> Object:
        """The object of the namespace itself."""
        return self._object("Namespace")

    @property
    def _place(self) -> str:
        return f"/api/v1/namespaces/{self.namespace}"

    @cached_property
    def database(self) -> Object | None:
        """The database's pod once it is ready; None where the application needs none."""
        if not any(item["metadata"]["name"] == database.NAME for item in self._objects):
            return None
        for item in self._objects:
            if item["kind"] in ("Secret", "ConfigMap"):
                self.cluster.api.apply(item)
        return self._pod(database.NAME, {})

    @cached_property
    def application(self) -> Object:
        """The application's pod once it is ready, after its database."""
        return self._pod(NAME, {} if self.database is None else {database.NAME: self.database})

    def _pod(self, name: str, peers: Mapping[str, Object]) -> Object:
        manifest = self._object("Pod", name)
        self.cluster.api.apply({**manifest, "spec": _fitted(manifest["spec"], peers)})

        def look() -> Object | None:
            pod: Object = self.cluster.api.get(f"{self._place}/pods/{name}")
            return pod if self._is_ready(pod) else None

        return dict(until(f"{name} is ready", look))

    def _is_ready(self, pod: Object) -> bool:
        """Whether a pod takes requests. Raises AssertionError for a pod that has ended, since it never will."""
        if pod["status"].get("phase") in ("Failed", "Succeeded"):
            log = self.cluster.api.log(self.namespace, pod["metadata"]["name"])
            raise AssertionError(f"{pod['metadata']['name']} has ended: {log or pod['status']}")
        conditions = pod["status"].get("conditions", ())
        return any(condition["type"] == "Ready" and condition["status"] == "True" for condition in conditions)

    def ended(self, name: str) -> Object:
        """How the only container of a pod ended: its exit code, signal and reason."""

        def look() -> Object | None:
            for container in self.cluster.api.get(f"{self._place}/pods/{name}")["status"]["containerStatuses"]:
                if "terminated" in container["state"]:
                    return dict(container["state"]["terminated"])
            return None

        return dict(until(f"{name} has ended", look))

    def answered(self) -> int:
        """The requests that the application has answered so far, by its own count."""
        address = f"{self.application['status']['podIP']}:{PORT}"
        return int(self._http.request("GET", f"http://{address}/requests", timeout=5).data)

    def warm_up(self, path: str, requests: int) -> None:
        """Send the application so many requests, one after another; each answer has the status 200."""
        for _ in range(requests):
            address = f"{self.application['status']['podIP']}:{PORT}"
            assert self._http.request("GET", f"http://{address}{path}", timeout=30).status == 200

    @cached_property
    def params(self) -> LoadParams:
        """The parameters of the phase, which every generator is given alike."""
        name = self._object("Job" if self.load == "job" else "TestRun")["metadata"]["name"]
        return LoadParams.model_validate_json(self._object("ConfigMap", name)["data"]["params.json"])

    @property
    def planned(self) -> int:
        """How many arrivals the phase has."""
        return round(self.params.rate_per_s * self.params.duration_s)

    def start(self) -> list[Object]:
        """Make the generators and let them go at one moment; return their pods in the order of their index."""
        generators = self.waiting()
        addresses = [f"{pod['status']['podIP']}:{REST_PORT}" for pod in generators]
        assert start_all(addresses, 60, lambda: None) is None
        return generators

    def waiting(self) -> list[Object]:
        """Make the generators; return their pods in the order of their index, once they are ready to be let go."""
        peers = {NAME: self.application}
        for item in self._objects:
            if item["kind"] not in ("Namespace", "Pod", "Job"):
                self.cluster.api.apply(item)
        job = self._object("Job")
        template = {**job["spec"]["template"], "spec": _fitted(job["spec"]["template"]["spec"], peers)}
        self.cluster.api.apply({**job, "spec": {**job["spec"], "template": template}})
        return list(until("both generators are ready", self._ready_generators))

    def test_run(self) -> Object:
        """Make the TestRun, whose pods k6's operator makes. No field of it names hosts, so that the parameters have the
        application's address.
        """
        address = f"http://{self.application['status']['podIP']}:{PORT}"
        params = self.params.model_copy(update={"base_url": address}).model_dump_json()
        run = self._object("TestRun")
        for item in self._objects:
            if item["kind"] == "ConfigMap" and item["metadata"]["name"] == run["metadata"]["name"]:
                self.cluster.api.apply({**item, "data": {"params.json": params}})
            elif item["kind"] not in ("Namespace", "Pod", "TestRun"):
                self.cluster.api.apply(item)
        runner = _shared(run["spec"]["runner"])
        return self.cluster.api.apply({**run, "spec": {**run["spec"], "runner": runner}})

    def let_go_by_the_api(self, generator: Object) -> None:
        """Let one generator go by the way of docs/scale.md, the proxy of the API server."""
        place = f"{self._place}/pods/{generator['metadata']['name']}:{REST_PORT}/proxy/v1/status"
        wish = {"data": {"type": "status", "id": "default", "attributes": {"paused": False}}}
        until("it is let go", lambda: self.cluster.api.text("PATCH", place, wish))

    def generators(self) -> list[Object]:
        """The pods of the load in the order of their index."""
        pods = self.cluster.api.pods(self.namespace, **{"plumbline.dev/role": "load"})
        return sorted(pods, key=lambda pod: pod["metadata"]["labels"][INDEX_LABEL])

    def _ready_generators(self) -> Sequence[Object] | None:
        pods = self.generators()
        return pods if len(pods) == GENERATORS and all(map(self._is_ready, pods)) else None

    def condition(self, name: str) -> Object | None:
        """A condition of the Job that is true, by its type: Complete, Failed."""
        status = self.cluster.api.get(self.cluster.api.path_of(self._object("Job")))["status"]
        true = {
            condition["type"]: condition for condition in status.get("conditions", []) if condition["status"] == "True"
        }
        return true.get(name)

    def finished(self, how: str) -> Object:
        """Wait for the Job's condition `how`, and return it. Raises AssertionError if the Job has failed instead."""
        condition = until(f"the load is {how}", lambda: self.condition(how) or self.condition("Failed"), 90)
        assert condition["type"] == how, condition
        return dict(condition)

    def outcome(self, generator: Object) -> LoadOutcome:
        """What a generator saw, from the summary that is the last line of its log."""
        name = generator["metadata"]["name"]
        return parse(self.cluster.api.log(self.namespace, name).splitlines()[-1], self.params)


@contextmanager
def open_trial(
    cluster: Cluster,
    session: str,
    seconds: float,
    chosen: Selection = GREETINGS,
    rate_per_s: int = 100,
    load: LoadKind = "job",
) -> Iterator[ClusterTrial]:
    """A trial in a namespace of its own, which is gone at the end with all that is in it."""
    trial = ClusterTrial(cluster, plan_of(chosen, session, seconds, rate_per_s), load)
    with cluster.namespace(trial.frame):
        yield trial


def _fitted(spec: Object, peers: Mapping[str, Object]) -> Object:
    """A pod on a cluster without names, by the addresses of `peers`; and on the node's shared CPUs, but for the
    application, where there are too few.
    """
    (container,) = spec["containers"]
    if container["name"] != NAME:
        container = _shared(container)
    names = [{"ip": pod["status"]["podIP"], "hostnames": [name]} for name, pod in peers.items()]
    return {**spec, "hostAliases": names, "containers": [container]}


def _shared(container: Object) -> Object:
    """A container on the node's shared CPUs where there are too few for its own."""
    return container if _HAS_CPUS_FOR_ALL else {**container, "resources": {"requests": {"memory": "256Mi"}}}
