"""A trial in the cluster: the objects that are made of its plan, with images of what this machine has.

An application of the tests stands in for the plan's, under the name of its image. One small node lacks names, so that
generators are told the application's address, and CPUs of their own for them.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property

import urllib3

from plumbline.cluster.application import NAME, PORT
from plumbline.cluster.asked import ask
from plumbline.cluster.images import images_of
from plumbline.cluster.load import REST_PORT
from plumbline.cluster.objects import cluster_objects, namespace_of
from plumbline.host.paths import Paths
from plumbline.load.params import LoadParams
from plumbline.load.segments import let_go
from plumbline.load.summary import LoadOutcome, parse
from plumbline.model.host import CpuSets
from plumbline.model.java import JAVA
from plumbline.model.plan import Phase, Plan
from plumbline.plan.make import make_plan
from plumbline.plan.selection import Selection
from plumbline.tools.k6 import get_k6
from plumbline.tools.toolbox import Toolbox
from tests.cluster.planned import CATALOG, FILES, PASSWORDS, PINS
from tests.judge.planned import host
from .api import Object, until
from .cluster import Cluster
from .parts import ROOT, own_programs

GENERATORS = 2
RATE_PER_S = 100
INDEX_LABEL = "batch.kubernetes.io/job-completion-index"
# One CPU for the application, and one for each generator beside the one that is reserved.
_HAS_CPUS_FOR_ALL = (os.cpu_count() or 1) >= 2 + GENERATORS
_SETS = CpuSets(app=(1,), db=(0,), load=(0,), housekeeping=(0,))


def plan_of(session: str, seconds: float) -> Plan:
    """The plan of a session of greetings with an open phase of so many seconds."""
    chosen = Selection(
        suite="seed-003", only=("micronaut-hello/jvm/none",), scenarios=("hello",), blocks=1, seed=1
    )
    plan = make_plan(CATALOG, chosen, host(), _SETS, "taskset", session=session)
    phase = Phase(kind="open", name=f"open@{RATE_PER_S}", duration_s=seconds, rate_per_s=RATE_PER_S)
    scenarios = tuple(one.model_copy(update={"phases": (*one.phases, phase)}) for one in plan.scenarios)
    return plan.model_copy(update={"scenarios": scenarios})


def load_images(cluster: Cluster) -> None:
    """Give the node what the objects of such a plan name."""
    box = Toolbox.of(Paths.of(os.environ, ROOT, os.geteuid()), os.environ, print)
    images = images_of(ask(plan_of("images", 1), CATALOG).subject, PINS)
    cluster.node.load(images.application, {str(JAVA): own_programs() / "serve"})
    cluster.node.load(images.load, {"/usr/bin/k6": get_k6(box).program})


@dataclass(frozen=True)
class ClusterTrial:
    """A trial whose namespace is there. Nothing of it runs before it is asked for."""

    cluster: Cluster
    plan: Plan
    seconds: float

    @cached_property
    def _objects(self) -> list[Object]:
        asked = ask(self.plan, CATALOG, generators=GENERATORS)
        return cluster_objects(asked, CATALOG, FILES, images_of(asked.subject, PINS), PASSWORDS)

    def _one(self, kind: str, holds: str = "") -> Object:
        (found,) = (
            one
            for one in self._objects
            if one["kind"] == kind and (not holds or holds in one.get("data", {}))
        )
        return found

    @property
    def namespace(self) -> str:
        """Where all of it is."""
        return namespace_of(self.plan)

    @property
    def frame(self) -> Object:
        """The namespace itself."""
        return self._one("Namespace")

    @property
    def _place(self) -> str:
        return f"/api/v1/namespaces/{self.namespace}"

    @cached_property
    def application(self) -> Object:
        """The application's pod once it is ready."""
        self.cluster.api.apply(self._one("Pod"))
        return dict(until("the application is ready", self._ready_application))

    def _ready_application(self) -> Object | None:
        pod = self.cluster.api.get(f"{self._place}/pods/{NAME}")
        return pod if is_ready(pod) else None

    def ended(self, name: str) -> Object:
        """How the only container of a pod ended: its exit code, signal and reason."""

        def look() -> Object | None:
            for one in self.cluster.api.get(f"{self._place}/pods/{name}")["status"]["containerStatuses"]:
                if "terminated" in one["state"]:
                    return dict(one["state"]["terminated"])
            return None

        return dict(until(f"{name} has ended", look))

    def answered(self) -> int:
        """The requests that the application has answered so far, by its own count."""
        address = f"{self.application['status']['podIP']}:{PORT}"
        return int(urllib3.request("GET", f"http://{address}/requests", retries=False, timeout=5).data)

    @cached_property
    def params(self) -> LoadParams:
        """The parameters of the phase, which every generator is given alike."""
        return LoadParams.model_validate_json(self._one("ConfigMap", "params.json")["data"]["params.json"])

    @property
    def planned(self) -> int:
        """The arrivals of the phase."""
        return round(RATE_PER_S * self.seconds)

    def start(self) -> list[Object]:
        """Make the generators, and let them go at one moment; their pods by their index."""
        generators = self.waiting()
        addresses = [f"{pod['status']['podIP']}:{REST_PORT}" for pod in generators]
        assert let_go(addresses, 60, lambda: None) is None
        return generators

    def waiting(self) -> list[Object]:
        """Make the generators; their pods by their index once they are ready to be let go."""
        address = self.application["status"]["podIP"]
        for one in self._objects:
            if one["kind"] not in ("Namespace", "Pod", "Job"):
                self.cluster.api.apply(one)
        self.cluster.api.apply(_fitted(self._one("Job"), address))
        return list(until("both generators are ready", self._ready_generators))

    def let_go_by_the_api(self, generator: Object) -> None:
        """Let one generator go by the way of docs/scale.md, the proxy of the API server."""
        place = f"{self._place}/pods/{generator['metadata']['name']}:{REST_PORT}/proxy/v1/status"
        wish = {"data": {"type": "status", "id": "default", "attributes": {"paused": False}}}
        until("it is let go", lambda: self.cluster.api.text("PATCH", place, wish))

    def generators(self) -> list[Object]:
        """The pods of the load by their index."""
        found = self.cluster.api.pods(self.namespace, **{"plumbline.dev/role": "load"})
        return sorted(found, key=lambda pod: pod["metadata"]["labels"][INDEX_LABEL])

    def _ready_generators(self) -> Sequence[Object] | None:
        found = self.generators()
        return found if len(found) == GENERATORS and all(map(is_ready, found)) else None

    def condition(self, name: str) -> Object | None:
        """A condition of the Job that is true, by its type: Complete, Failed."""
        status = self.cluster.api.get(self.cluster.api.path_of(self._one("Job")))["status"]
        true = {one["type"]: one for one in status.get("conditions", []) if one["status"] == "True"}
        return true.get(name)

    def finished(self, how: str) -> Object:
        """The Job's condition once that is so, and no other one."""
        found = until(f"the load is {how}", lambda: self.condition(how) or self.condition("Failed"), 90)
        assert found["type"] == how, found
        return dict(found)

    def outcome(self, generator: Object) -> LoadOutcome:
        """What a generator saw, from the summary that is the last line of its log."""
        name = generator["metadata"]["name"]
        return parse(self.cluster.api.log(self.namespace, name).splitlines()[-1], self.params)


@contextmanager
def open_trial(cluster: Cluster, session: str, seconds: float = 5) -> Iterator[ClusterTrial]:
    """A trial in a namespace of its own, which is gone at the end with all that is in it."""
    trial = ClusterTrial(cluster, plan_of(session, seconds), seconds)
    with cluster.namespace(trial.frame):
        yield trial


def is_ready(pod: Object) -> bool:
    """Whether a pod takes requests. One that has failed never will."""
    status: Mapping[str, object] = pod["status"]
    assert status.get("phase") != "Failed", pod["status"]["containerStatuses"]
    return any(
        one["type"] == "Ready" and one["status"] == "True" for one in pod["status"].get("conditions", ())
    )


def _fitted(job: Object, address: str) -> Object:
    """The Job on a cluster without names, and with the node's shared CPUs where there are too few."""
    spec = job["spec"]["template"]["spec"]
    (container,) = spec["containers"]
    resources = container["resources"] if _HAS_CPUS_FOR_ALL else {"requests": {"memory": "256Mi"}}
    fitted = {
        **spec,
        "hostAliases": [{"ip": address, "hostnames": [NAME]}],
        "containers": [{**container, "resources": resources}],
    }
    return {**job, "spec": {**job["spec"], "template": {**job["spec"]["template"], "spec": fitted}}}
