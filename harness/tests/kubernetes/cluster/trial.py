"""A trial in the cluster: an application on a CPU of its own, and a phase of load by two generators of an Indexed Job.

What they are made of comes from here alone: images of the programs of the tests, scripts from the repository.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import urllib3

from plumbline.load.params import LoadParams, Target, params_of
from plumbline.load.segments import let_go
from plumbline.load.summary import LoadOutcome, parse
from plumbline.model.plan import Phase, Scenario
from .api import Object, until
from .cluster import Cluster
from .parts import ROOT

GENERATORS = 2
RATE_PER_S = 100
INDEX_LABEL = "batch.kubernetes.io/job-completion-index"
SERVE, K6 = "docker.io/plumbline/serve:1", "docker.io/plumbline/k6:1"

_PORT, _REST_PORT = 8080, 6565
_SCRIPTS = ROOT / "k6"
_SEGMENTS = [
    {"executionSegment": f"{index}/{GENERATORS}:{index + 1}/{GENERATORS}"} for index in range(GENERATORS)
]
_SEQUENCE = ",".join(f"{index}/{GENERATORS}" for index in range(GENERATORS + 1))
_SCENARIO = Scenario(
    name="hello",
    version=1,
    workload="hello",
    script="hello.ts",
    operation="GET /hello/{name}",
    uses_database=False,
    phases=(),
)


@dataclass(frozen=True)
class ClusterTrial:
    """A namespace with an application that is ready for load of so many seconds."""

    cluster: Cluster
    namespace: str
    seconds: float

    @cached_property
    def application(self) -> Object:
        """The application's pod once it runs."""
        self.cluster.api.apply(self._object("v1", "Pod", "application", spec=_application()))
        return self.running("application")

    def running(self, name: str) -> Object:
        """A pod once it runs."""
        return until(f"{name} runs", lambda: self._of_phase(name, "Running"))

    def _of_phase(self, name: str, phase: str) -> Object | None:
        pod = self.cluster.api.get(f"{self._place}/pods/{name}")
        return pod if pod["status"].get("phase") == phase else None

    @property
    def _place(self) -> str:
        return f"/api/v1/namespaces/{self.namespace}"

    def ended(self, name: str) -> Object:
        """How the only container of a pod ended: its exit code, signal and reason."""

        def look() -> Object | None:
            for one in self.cluster.api.get(f"{self._place}/pods/{name}")["status"]["containerStatuses"]:
                if "terminated" in one["state"]:
                    return dict(one["state"]["terminated"])
            return None

        return until(f"{name} has ended", look)

    def answered(self) -> int:
        """The requests that the application has answered so far, by its own count."""
        address = f"{self.application['status']['podIP']}:{_PORT}"
        return int(urllib3.request("GET", f"http://{address}/requests", retries=False, timeout=5).data)

    @cached_property
    def params(self) -> LoadParams:
        """The parameters of the phase, which every generator is given alike."""
        phase = Phase(kind="open", name="open", duration_s=self.seconds, rate_per_s=RATE_PER_S)
        base_url = f"http://{self.application['status']['podIP']}:{_PORT}"
        target = Target(base_url=base_url, name="World", golden="hello")
        return params_of(phase, _SCENARIO, target, Path("stdout"))

    @property
    def planned(self) -> int:
        """The arrivals of the phase."""
        return round(RATE_PER_S * self.seconds)

    def start(self) -> list[Object]:
        """Make the generators, and let them go at one moment; their pods by their index."""
        files = {f"segment-{index}.json": json.dumps(its) for index, its in enumerate(_SEGMENTS)}
        files["params.json"] = self.params.model_dump_json()
        api = self.cluster.api
        api.apply(self._object("v1", "ConfigMap", "scripts", data=_scripts()))
        api.apply(self._object("v1", "ConfigMap", "phase", data=files))
        api.apply(self._object("batch/v1", "Job", "load", spec=_job()))
        generators = until("both generators run", self._running_generators)
        waiting = [f"{pod['status']['podIP']}:{_REST_PORT}" for pod in generators]
        assert let_go(waiting, 60, lambda: None) is None
        return generators

    def generators(self) -> list[Object]:
        """The pods of the load by their index."""
        found = self.cluster.api.pods(self.namespace, **{"batch.kubernetes.io/job-name": "load"})
        return sorted(found, key=lambda pod: pod["metadata"]["labels"][INDEX_LABEL])

    def _running_generators(self) -> Sequence[Object] | None:
        found = self.generators()
        for pod in found:
            assert pod["status"].get("phase") != "Failed", pod["status"]["containerStatuses"]
        run = len(found) == GENERATORS and all(pod["status"].get("phase") == "Running" for pod in found)
        return found if run else None

    def condition(self, name: str) -> Object | None:
        """A condition of the Job that is true, by its type: Complete, Failed."""
        status = self.cluster.api.get(f"/apis/batch/v1/namespaces/{self.namespace}/jobs/load")["status"]
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

    def _object(self, version: str, kind: str, name: str, **more: object) -> Object:
        its = {"name": name, "namespace": self.namespace}
        return {"apiVersion": version, "kind": kind, "metadata": its, **more}


@contextmanager
def open_trial(cluster: Cluster, name: str, seconds: float = 5) -> Iterator[ClusterTrial]:
    """A trial in a namespace of its own, which is gone at the end with all that is in it."""
    place = f"/api/v1/namespaces/{name}"
    cluster.api.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
    try:
        until("pods may be made", lambda: cluster.api.get(f"{place}/serviceaccounts/default"))
        yield ClusterTrial(cluster, name, seconds)
    finally:
        for pod in cluster.api.pods(name):
            cluster.api.delete(f"{place}/pods/{pod['metadata']['name']}")
        cluster.api.delete(place)
        until("the namespace is gone", lambda: not cluster.api.has(place))


def _application() -> Object:
    container = {
        "name": "application",
        "image": SERVE,
        "imagePullPolicy": "Never",
        "env": [{"name": "HTTP_HOST", "value": "0.0.0.0"}, {"name": "HTTP_PORT", "value": str(_PORT)}],
        # Whole CPUs, as many as it may use at most, are its own.
        "resources": {"requests": _given("1"), "limits": _given("1")},
        "readinessProbe": {"httpGet": {"path": "/requests", "port": _PORT}, "periodSeconds": 1},
    }
    return {"restartPolicy": "Never", "automountServiceAccountToken": False, "containers": [container]}


def _given(cpu: str) -> Object:
    return {"cpu": cpu, "memory": "256Mi"}


def _job() -> Object:
    words = [
        *("run", "--quiet", "--no-color", "--no-usage-report", "--log-format=raw", "--paused"),
        "--log-output=file=/dev/termination-log,level=error",
        f"--address=0.0.0.0:{_REST_PORT}",
        "--config=/segment.json",
        f"--execution-segment-sequence={_SEQUENCE}",
        *("--env=PLUMBLINE_LOAD=/phase/params.json", f"/k6/scenarios/{_SCENARIO.script}"),
    ]
    container = {
        "name": "k6",
        "image": K6,
        "imagePullPolicy": "Never",
        "args": words,
        "env": [{"name": "HOME", "value": "/tmp"}, {"name": "GOMAXPROCS", "value": "1"}],
        # The rest of the node: with two CPUs there is one for the application, and one for all else.
        "resources": {"requests": {"memory": "256Mi"}},
        "volumeMounts": [
            {"name": "scripts", "mountPath": "/k6"},
            {"name": "phase", "mountPath": "/phase"},
            {
                "name": "phase",
                "mountPath": "/segment.json",
                "subPathExpr": "segment-$(JOB_COMPLETION_INDEX).json",
            },
        ],
    }
    items = [{"key": _key(path), "path": path} for path in _paths()]
    volumes = [
        {"name": "scripts", "configMap": {"name": "scripts", "items": items}},
        {"name": "phase", "configMap": {"name": "phase"}},
    ]
    pod = {
        **{"restartPolicy": "Never", "automountServiceAccountToken": False},
        **{"terminationGracePeriodSeconds": 1, "containers": [container], "volumes": volumes},
    }
    return {
        **{"completionMode": "Indexed", "completions": GENERATORS, "parallelism": GENERATORS},
        **{"backoffLimit": 0, "template": {"spec": pod}},
    }


def _paths() -> list[str]:
    found = (path for name in ("lib", "scenarios") for path in (_SCRIPTS / name).glob("*.ts"))
    return sorted(path.relative_to(_SCRIPTS).as_posix() for path in found)


def _scripts() -> dict[str, str]:
    return {_key(path): (_SCRIPTS / path).read_text(encoding="utf-8") for path in _paths()}


def _key(path: str) -> str:
    return path.replace("/", ".")
